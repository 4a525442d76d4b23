#define FUZZ_FORMAT import_csv
#include "fuzz_import.h"
