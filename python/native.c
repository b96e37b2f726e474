/* The extension of the package: Python's objects around liblanescope.so. Everything else is written in Python. It uses
 * only the stable interface of Python 3.9 and later. */
#include "python/functions.h"
#include "python/values.h"

#include <stdlib.h>
#include <string.h>

#include "api/lanescope.h"

static PyObject* error_class; /* lanescope.Error */

static PyObject* raise_last_error(void) {
    if (PyErr_Occurred()) return NULL; /* a callback's own exception */
    const lanescope_error* error = lanescope_last_error();
    PyObject* offset = error->byte_offset == LANESCOPE_NO_OFFSET ? (Py_INCREF(Py_None), Py_None)
                                                                 : PyLong_FromUnsignedLongLong(error->byte_offset);
    PyObject* text = PyUnicode_DecodeUTF8(error->text, (Py_ssize_t)strlen(error->text), "replace");
    PyObject* path = PyUnicode_DecodeFSDefault(error->path);
    if (offset && text && path) {
        PyObject* made = PyObject_CallFunction(error_class, "OiOO", text, (int)error->status, path, offset);
        if (made) PyErr_SetObject(error_class, made);
        Py_XDECREF(made);
    }
    Py_XDECREF(offset);
    Py_XDECREF(text);
    Py_XDECREF(path);
    return NULL;
}

/* Traces, rows and streams are capsules; a running call holds its arguments, so none ends while it is used. */

static const char kTrace[] = "lanescope_trace";
static const char kRows[] = "lanescope_rows";
static const char kStream[] = "arrow_array_stream";

static void end_trace(PyObject* capsule) {
    lanescope_trace* trace = PyCapsule_GetPointer(capsule, kTrace);
    PyThreadState* state = PyEval_SaveThread();
    lanescope_close(trace);
    PyEval_RestoreThread(state);
}

static void end_rows(PyObject* capsule) {
    lanescope_drop(PyCapsule_GetPointer(capsule, kRows));
}

static void end_stream(PyObject* capsule) {
    struct ArrowArrayStream* stream = PyCapsule_GetPointer(capsule, kStream);
    if (stream->release) stream->release(stream);
    free(stream);
}

static lanescope_rows* rows_of(PyObject* capsule) {
    return PyCapsule_GetPointer(capsule, kRows);
}

/* A callback of Python that the library calls while the caller's thread has released the interpreter's lock. */
typedef struct {
    PyObject* function; /* borrowed; None or NULL: only look for Ctrl+C */
    PyThreadState* state;
} Callback;

static int on_progress(void* user, uint64_t done, uint64_t total) {
    Callback* callback = user;
    int stop;
    PyEval_RestoreThread(callback->state);
    stop = PyErr_CheckSignals() != 0;
    if (!stop && callback->function && callback->function != Py_None) {
        PyObject* result = PyObject_CallFunction(callback->function, "KK", (unsigned long long)done,
                                                 (unsigned long long)total);
        stop = !result;
        Py_XDECREF(result);
    }
    callback->state = PyEval_SaveThread();
    return stop;
}

/* The callback's object is a function that takes a number of bytes and returns bytes. */
static int64_t on_read(void* user, void* buffer, size_t bytes) {
    Callback* callback = user;
    int64_t count = -1;
    PyEval_RestoreThread(callback->state);
    PyObject* got = PyObject_CallFunction(callback->function, "n", (Py_ssize_t)bytes);
    if (got) {
        char* data;
        Py_ssize_t size;
        if (PyBytes_AsStringAndSize(got, &data, &size) == 0) {
            if ((size_t)size <= bytes) {
                memcpy(buffer, data, (size_t)size);
                count = size;
            } else {
                PyErr_SetString(PyExc_ValueError, "read() returned more bytes than were asked for");
            }
        }
        Py_DECREF(got);
    }
    callback->state = PyEval_SaveThread();
    return count;
}

static PyObject* new_trace(lanescope_status status, lanescope_trace* trace) {
    if (status == LANESCOPE_OK && PyErr_Occurred()) { /* the callback failed at the last moment */
        lanescope_close(trace);
        return NULL;
    }
    if (status != LANESCOPE_OK) return raise_last_error();
    PyObject* capsule = PyCapsule_New(trace, kTrace, end_trace);
    if (!capsule) lanescope_close(trace);
    return capsule;
}

/* open(paths: list[bytes], options: str, progress) */
static PyObject* native_open(PyObject* self, PyObject* args) {
    PyObject* list;
    const char* options;
    PyObject* progress;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!zO", &PyList_Type, &list, &options, &progress)) return NULL;
    const Py_ssize_t count = PyList_Size(list);
    const char** paths = calloc((size_t)count + 1, sizeof *paths);
    if (!paths) return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count; ++i) {
        char* path;
        const int failed = PyBytes_AsStringAndSize(PyList_GetItem(list, i), &path, NULL); /* no byte is zero */
        paths[i] = path;
        if (failed) {
            free(paths);
            return NULL;
        }
    }
    lanescope_trace* trace = NULL;
    Callback callback = {progress, NULL};
    callback.state = PyEval_SaveThread();
    const lanescope_status status = lanescope_open(paths, (size_t)count, options, on_progress, &callback, &trace);
    PyEval_RestoreThread(callback.state);
    free(paths);
    return new_trace(status, trace);
}

/* open_stream(read, options: str, progress). Both functions are called on this thread, and may raise. */
static PyObject* native_open_stream(PyObject* self, PyObject* args) {
    PyObject* read;
    const char* options;
    PyObject* progress;
    (void)self;
    if (!PyArg_ParseTuple(args, "OzO", &read, &options, &progress)) return NULL;
    lanescope_trace* trace = NULL;
    Callback reading = {read, NULL};
    Callback watching = {progress, NULL};
    reading.state = watching.state = PyEval_SaveThread();
    const lanescope_status status =
        lanescope_open_stream(on_read, &reading, options, on_progress, &watching, &trace);
    PyEval_RestoreThread(reading.state);
    return new_trace(status, trace);
}

/* The traces of a tuple of capsules; NULL after an error. */
static lanescope_trace** traces_of(PyObject* tuple, size_t* count) {
    *count = (size_t)PyTuple_Size(tuple);
    lanescope_trace** traces = calloc(*count + 1, sizeof(lanescope_trace*));
    if (!traces) {
        PyErr_NoMemory();
        return NULL;
    }
    for (size_t i = 0; i < *count; ++i) {
        traces[i] = PyCapsule_GetPointer(PyTuple_GetItem(tuple, (Py_ssize_t)i), kTrace);
        if (!traces[i]) {
            free(traces);
            return NULL;
        }
    }
    return traces;
}

/* Keeps the rows of a stream that a call made. */
static PyObject* new_rows(lanescope_status status, struct ArrowArrayStream* stream) {
    if (status == LANESCOPE_OK && PyErr_Occurred()) {
        stream->release(stream);
        return NULL;
    }
    lanescope_rows* rows = NULL;
    if (status == LANESCOPE_OK) status = lanescope_keep(stream, &rows);
    if (status != LANESCOPE_OK) return raise_last_error();
    PyObject* capsule = PyCapsule_New(rows, kRows, end_rows);
    if (!capsule) lanescope_drop(rows);
    return capsule;
}

/* tables() */
static PyObject* native_tables(PyObject* self, PyObject* args) {
    struct ArrowArrayStream stream;
    (void)self;
    (void)args;
    return new_rows(lanescope_tables(&stream), &stream);
}

/* columns(name: str | None) */
static PyObject* native_columns(PyObject* self, PyObject* args) {
    const char* name;
    struct ArrowArrayStream stream;
    (void)self;
    if (!PyArg_ParseTuple(args, "z", &name)) return NULL;
    return new_rows(lanescope_columns(name, &stream), &stream);
}

/* table(traces: tuple, name: str, options: str) */
static PyObject* native_table(PyObject* self, PyObject* args) {
    PyObject* tuple;
    const char* name;
    const char* options;
    size_t count;
    struct ArrowArrayStream stream;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!sz", &PyTuple_Type, &tuple, &name, &options)) return NULL;
    lanescope_trace** traces = traces_of(tuple, &count);
    if (!traces) return NULL;
    PyThreadState* state = PyEval_SaveThread();
    const lanescope_status status = lanescope_table(traces, count, name, options, &stream);
    PyEval_RestoreThread(state);
    free(traces);
    return new_rows(status, &stream);
}

/* text(traces: tuple, name: str, options: str) */
static PyObject* native_text(PyObject* self, PyObject* args) {
    PyObject* tuple;
    const char* name;
    const char* options;
    size_t count;
    char* text = NULL;
    size_t bytes = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!sz", &PyTuple_Type, &tuple, &name, &options)) return NULL;
    lanescope_trace** traces = traces_of(tuple, &count);
    if (!traces) return NULL;
    PyThreadState* state = PyEval_SaveThread();
    const lanescope_status status = lanescope_text(traces, count, name, options, &text, &bytes);
    PyEval_RestoreThread(state);
    free(traces);
    if (status != LANESCOPE_OK) return raise_last_error();
    PyObject* made = PyUnicode_DecodeUTF8(text, (Py_ssize_t)bytes, "replace");
    lanescope_free(text);
    return made;
}

/* sql(traces: tuple, script: str, parameters: str | None, options: str) */
static PyObject* native_sql(PyObject* self, PyObject* args) {
    PyObject* tuple;
    const char* script;
    const char* parameters;
    const char* options;
    size_t count;
    struct ArrowArrayStream stream;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!szz", &PyTuple_Type, &tuple, &script, &parameters, &options)) return NULL;
    lanescope_trace** traces = traces_of(tuple, &count);
    if (!traces) return NULL;
    Callback callback = {NULL, NULL};
    callback.state = PyEval_SaveThread();
    const lanescope_status status =
        lanescope_sql(traces, count, script, parameters, options, on_progress, &callback, &stream);
    PyEval_RestoreThread(callback.state);
    free(traces);
    return new_rows(status, &stream);
}

/* The stream in a capsule of any library; NULL for None, and after an error. */
static struct ArrowArrayStream* given_stream(PyObject* capsule) {
    return capsule == Py_None ? NULL : PyCapsule_GetPointer(capsule, kStream);
}

/* compare_ranks(calls, work, traces, options: str): capsules of streams, the latter two may be None; returns a tuple of
 * rows, in the order of lanescope.h */
static PyObject* native_compare_ranks(PyObject* self, PyObject* args) {
    PyObject* given[3];
    struct ArrowArrayStream* streams[3];
    const char* options;
    struct ArrowArrayStream tables[LANESCOPE_RANK_TABLES];
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOz", &given[0], &given[1], &given[2], &options)) return NULL;
    for (int i = 0; i < 3; ++i) {
        streams[i] = given_stream(given[i]);
        if (PyErr_Occurred()) return NULL;
    }
    PyThreadState* state = PyEval_SaveThread();
    const lanescope_status status = lanescope_compare_ranks(streams[0], streams[1], streams[2], options, tables);
    PyEval_RestoreThread(state);
    if (status != LANESCOPE_OK) return raise_last_error();
    PyObject* all = PyTuple_New(LANESCOPE_RANK_TABLES);
    for (int i = 0; i < LANESCOPE_RANK_TABLES; ++i) {
        PyObject* rows = all ? new_rows(LANESCOPE_OK, &tables[i]) : NULL;
        if (rows) {
            PyTuple_SetItem(all, i, rows);
            continue;
        }
        if (tables[i].release) tables[i].release(&tables[i]);
        Py_CLEAR(all);
    }
    return all;
}

/* stream(rows): a capsule for Arrow's PyCapsule interface */
static PyObject* native_stream(PyObject* self, PyObject* args) {
    PyObject* capsule;
    (void)self;
    if (!PyArg_ParseTuple(args, "O", &capsule)) return NULL;
    lanescope_rows* rows = rows_of(capsule);
    if (!rows) return NULL;
    struct ArrowArrayStream* stream = calloc(1, sizeof *stream);
    if (!stream) return PyErr_NoMemory();
    if (lanescope_stream_of(rows, stream) != LANESCOPE_OK) {
        free(stream);
        return raise_last_error();
    }
    PyObject* made = PyCapsule_New(stream, kStream, end_stream);
    if (!made) {
        stream->release(stream);
        free(stream);
    }
    return made;
}

static PyObject* native_row_count(PyObject* self, PyObject* args) {
    PyObject* capsule;
    (void)self;
    if (!PyArg_ParseTuple(args, "O", &capsule)) return NULL;
    lanescope_rows* rows = rows_of(capsule);
    return rows ? PyLong_FromLongLong(lanescope_row_count(rows)) : NULL;
}

/* columns_of(rows, first: int, last: int) -> dict[str, list] */
static PyObject* native_columns_of(PyObject* self, PyObject* args) {
    PyObject* capsule;
    long long first;
    long long last;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray array;
    (void)self;
    if (!PyArg_ParseTuple(args, "OLL", &capsule, &first, &last)) return NULL;
    lanescope_rows* rows = rows_of(capsule);
    if (!rows) return NULL;
    if (lanescope_stream_of(rows, &stream) != LANESCOPE_OK) return raise_last_error();
    PyObject* made = NULL;
    if (stream.get_schema(&stream, &schema) == 0) {
        if (stream.get_next(&stream, &array) == 0) {
            const int64_t count = array.release ? array.length : 0;
            if (last > count) last = count;
            if (first > last) first = last;
            made = columns_between(&schema, &array, first, last);
            if (array.release) array.release(&array);
        }
        schema.release(&schema);
    }
    stream.release(&stream);
    return made || PyErr_Occurred() ? made : PyErr_NoMemory();
}

/* set_error(class): what failures raise */
static PyObject* native_set_error(PyObject* self, PyObject* args) {
    PyObject* given;
    (void)self;
    if (!PyArg_ParseTuple(args, "O", &given)) return NULL;
    Py_INCREF(given);
    Py_XDECREF(error_class);
    error_class = given;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"open", native_open, METH_VARARGS, NULL},
    {"open_stream", native_open_stream, METH_VARARGS, NULL},
    {"tables", native_tables, METH_NOARGS, NULL},
    {"columns", native_columns, METH_VARARGS, NULL},
    {"table", native_table, METH_VARARGS, NULL},
    {"text", native_text, METH_VARARGS, NULL},
    {"sql", native_sql, METH_VARARGS, NULL},
    {"compare_ranks", native_compare_ranks, METH_VARARGS, NULL},
    {"stream", native_stream, METH_VARARGS, NULL},
    {"chance", native_chance, METH_VARARGS, NULL},
    {"rank_in_name", native_rank_in_name, METH_VARARGS, NULL},
    {"row_count", native_row_count, METH_VARARGS, NULL},
    {"columns_of", native_columns_of, METH_VARARGS, NULL},
    {"version", native_version, METH_NOARGS, NULL},
    {"set_error", native_set_error, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "lanescope._native", NULL, -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void) {
    return PyModule_Create(&module);
}
