/* Python's objects from Arrow's arrays. */
#ifndef LANESCOPE_PYTHON_VALUES_H
#define LANESCOPE_PYTHON_VALUES_H

#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <nanoarrow/nanoarrow.h>

/* Returns the columns as a dict of lists with the rows from `first` to before `last`; NULL with an
 * exception set if memory runs out. */
PyObject* columns_between(const struct ArrowSchema* schema, const struct ArrowArray* array,
                          int64_t first, int64_t last);

#endif
