#define FUZZ_FORMAT import_cargo_criterion
#include "fuzz_import.h"
