#define FUZZ_FORMAT import_nanobench
#include "fuzz_import.h"
