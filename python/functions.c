#include "python/functions.h"

#include "api/lanescope.h"

/* Copies a sequence of numbers; NULL with an exception if it is none. */
static double* numbers_of(PyObject* sequence, Py_ssize_t* count) {
    *count = PySequence_Size(sequence);
    if (*count < 0) return NULL;
    double* numbers = PyMem_Malloc((size_t)(*count + 1) * sizeof(double));
    if (!numbers) PyErr_NoMemory();
    for (Py_ssize_t i = 0; numbers && i < *count; ++i) {
        PyObject* item = PySequence_GetItem(sequence, i);
        numbers[i] = item ? PyFloat_AsDouble(item) : -1;
        Py_XDECREF(item);
        if (numbers[i] == -1 && PyErr_Occurred()) {
            PyMem_Free(numbers);
            numbers = NULL;
        }
    }
    return numbers;
}

PyObject* native_chance(PyObject* self, PyObject* args) {
    PyObject* samples[2];
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &samples[0], &samples[1])) return NULL;
    Py_ssize_t count_a = 0;
    Py_ssize_t count_b = 0;
    double* a = numbers_of(samples[0], &count_a);
    double* b = a ? numbers_of(samples[1], &count_b) : NULL;
    PyObject* result = NULL;
    if (b) {
        const double chance = lanescope_chance(a, (size_t)count_a, b, (size_t)count_b);
        if (chance == chance)
            result = PyFloat_FromDouble(chance);
        else
            Py_INCREF(result = Py_None);
    }
    PyMem_Free(a);
    PyMem_Free(b);
    return result;
}

PyObject* native_rank_in_name(PyObject* self, PyObject* args) {
    const char* text;
    (void)self;
    if (!PyArg_ParseTuple(args, "s", &text)) return NULL;
    const int64_t rank = lanescope_rank_in_name(text);
    if (rank < 0) Py_RETURN_NONE;
    return PyLong_FromLongLong(rank);
}

PyObject* native_version(PyObject* self, PyObject* args) {
    (void)self;
    (void)args;
    return PyUnicode_FromString(lanescope_version());
}
