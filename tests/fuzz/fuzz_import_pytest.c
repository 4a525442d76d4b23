#define FUZZ_FORMAT import_pytest
#include "fuzz_import.h"
