/* Functions of the extension that need no trace. */
#ifndef LANESCOPE_PYTHON_FUNCTIONS_H
#define LANESCOPE_PYTHON_FUNCTIONS_H

#include "python/values.h"

/* chance(a, b): the probability that two samples differ by chance alone, or None: see
 * lanescope_chance(). */
PyObject* native_chance(PyObject* self, PyObject* args);

/* rank_in_name(file_name: str): the rank in a file's name, or None. */
PyObject* native_rank_in_name(PyObject* self, PyObject* args);

/* version(): the library's version. */
PyObject* native_version(PyObject* self, PyObject* args);

#endif
