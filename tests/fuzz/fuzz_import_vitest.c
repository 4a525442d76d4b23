#define FUZZ_FORMAT import_vitest
#include "fuzz_import.h"
