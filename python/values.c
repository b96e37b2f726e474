#include "python/values.h"

static int is_valid(const struct ArrowArray* array, int64_t row) {
    const uint8_t* bits = array->buffers[0];
    row += array->offset;
    return array->null_count == 0 || !bits || (bits[row / 8] >> (row % 8) & 1);
}

static PyObject* text_at(const struct ArrowArray* array, int64_t row) {
    const int32_t* ends = array->buffers[1];
    const char* bytes = array->buffers[2];
    return PyUnicode_DecodeUTF8(bytes ? bytes + ends[row] : "", ends[row + 1] - ends[row], "replace");
}

static PyObject* list_at(const struct ArrowArray* array, int64_t row) {
    const int32_t* ends = array->buffers[1];
    const int64_t* numbers = array->children[0]->buffers[1];
    PyObject* list = PyList_New(ends[row + 1] - ends[row]);
    for (int32_t i = ends[row]; list && i < ends[row + 1]; ++i) {
        PyObject* number = PyLong_FromLongLong(numbers[i]);
        if (!number || PyList_SetItem(list, i - ends[row], number)) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

/* A value of one of the types that the library makes: see lanescope.h. */
static PyObject* value_at(const struct ArrowSchema* schema, const struct ArrowArray* array, int64_t row) {
    if (!is_valid(array, row)) Py_RETURN_NONE;
    switch (schema->format[0]) {
        case 'l':
            return PyLong_FromLongLong(((const int64_t*)array->buffers[1])[row]);
        case 'g':
            return PyFloat_FromDouble(((const double*)array->buffers[1])[row]);
        case 'i':
            return text_at(array->dictionary, ((const int32_t*)array->buffers[1])[row]);
        default:
            return list_at(array, row);
    }
}

PyObject* columns_between(const struct ArrowSchema* schema, const struct ArrowArray* array, int64_t first,
                                 int64_t last) {
    PyObject* columns = PyDict_New();
    for (int64_t c = 0; columns && c < schema->n_children; ++c) {
        PyObject* values = PyList_New(last - first);
        for (int64_t row = first; values && row < last; ++row) {
            PyObject* value = value_at(schema->children[c], array->children[c], row);
            if (!value || PyList_SetItem(values, row - first, value)) Py_CLEAR(values);
        }
        if (!values || PyDict_SetItemString(columns, schema->children[c]->name, values)) Py_CLEAR(columns);
        Py_XDECREF(values);
    }
    return columns;
}
