#define FUZZ_FORMAT import_pyperf
#include "fuzz_import.h"
