# WORK says how often the work is done.
BEGIN {
    times = ENVIRON["WORK"] + 0
    for (t = 0; t < times * 20; t++) {
        for (i = 0; i < n; i++) {
            total += i
        }
    }
}
