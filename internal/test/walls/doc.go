// Package walls has runs whose walls are known, because they have been built so, and counts how often the right one is
// named. They are for Linux.
//
// Its commands are ordinary programs, for the tests of package wall and for the count of how often thresh wall is
// right (scripts/wallmatrix). Its situations are runs of thresh, for their receipts: THRESH_WALLS=20 runs each
// twenty times, with nothing else on the machine and then beside a busy neighbour, prints both confusion matrices, and
// holds them to the thresholds (make walls).
package walls
