#define FUZZ_FORMAT import_jmh
#include "fuzz_import.h"
