* Ann and Bob share two nights, of which Ann works one at least; two of the four ways take the car, and there is one.
NAME          plan
ROWS
 N  cost
 E  mon
 E  tue
 L  car
 G  ann
COLUMNS
    MARK      'MARKER'                 'INTORG'
    ann_mon   cost                 5   mon                  1
    ann_mon   ann                  1
    ann_tue   cost                 4   tue                  1
    ann_tue   ann                  1   car                  1
    bob_mon   cost                 2   mon                  1
    bob_mon   car                  1
    bob_tue   cost                 3   tue                  1
    MARK      'MARKER'                 'INTEND'
RHS
    RHS       mon                  1   tue                  1
    RHS       car                  1   ann                  1
RANGES
    RNG       ann                  1
BOUNDS
 BV BND       ann_mon
 BV BND       ann_tue
 BV BND       bob_mon
 BV BND       bob_tue
ENDATA
