"""Double word squares: fill a square so that its rows and its columns are words, all of them different.

*Items*: the four rows and the four columns, each to be a word: primary. The sixteen cells are secondary, and their
*colours* are letters: two words may use the same cell if they agree on its letter. Each word of the list is secondary
too, without a colour, so that it is used at most once.

*Options*: a word in a row or in a column, with that line, the word itself, and four cells coloured with its letters.

A square and its transpose, rows and columns exchanged, are both covers: half of the covers are the squares.

Colours: The Art of Computer Programming 4B, section 7.2.2.1, Algorithm C.
"""

from __future__ import annotations

from saving import save

import dlx
from dlx.show import PALETTE, element, moved, svg, text

LIST = """
able ache acid acre aged ahoy aide aims airs ajar alas ally also amen amid anew ante ants apes apex arch area arms army
arts ashy atom aunt aura avid away axes axle baby back bake bald bale ball band bank bare bark barn base bath beak beam
bean bear beat been beer bell belt bend bent best bike bird bite blow blue boar boat body bold bolt bone book boot bore
born both bowl brag brew brim bulb bull burn bush busy cafe cage cake calf call calm came camp cane cape card care cart
case cash cast cave chat chef chin chip city clan clap claw clay clip club clue coal coat code coin cold come cook cool
cope copy cord core corn cost crab crew crop crow cube cure curl cute dale dame damp dare dark dart dash data date dawn
deal dear debt deck deed deep deer dent desk dial dice diet dine dish disk dive dock does done door dose dove down drag
draw drip drop drum duck duel dune dusk dust duty each earl earn ease east easy echo edge edit else emit ends epic even
ever evil exam exit eyed eyes face fact fade fail fair fall fame fare farm fast fate fear feel feet fern file fill film
find fine fire firm fish five flag flat flaw fled flow foal foam fold folk fond food foot fork form fort four fowl free
frog from fuel full gain game gate gave gaze gear gift girl give glad glow glue goal goat goes gold golf gone good gown
grab gray grew grey grid grim grin grip grow gulf hail hair half hall halt hand hard hare harm harp hate have hawk head
heal heap hear heat heel held helm help herb herd here hero hide high hill hint hire hold hole home hood hook hope horn
hose host hour huge hull hunt hurt idea idle idol inch into iris iron isle item jade jail jazz join joke jump jury just
keel keen keep kept kick kind king kite knee knew knit knot know lace lack lady lake lamb lame lamp land lane last late
lava lawn lead leaf lean leap left lend lens less liar lick life lift like lily limb lime line link lion list live load
loaf loan lock loft logo lone long look loop lord lore lose lost loud love luck lung lure made mail main make male mane
many mare mark mask mass mast mate math maze meal mean meat meet melt memo mend menu mere mesh mice mild mile milk mill
mind mine mint miss mist mode mole monk mood moon moor more moss most moth move much mule muse must myth nail name navy
near neat neck need neon nest news next nice nine node none noon norm nose note noun oars oath oats obey ogre okay once
ones only onto open oral oven over owed oxen pace pack page paid pain pair pale palm pane park part pass past path pave
peak pear peas peel pest pick pier pile pine pink pint pipe plan play plea plot plum poem poet pole pond pony pool poor
port pose post pour pray prey pump pure push quay quit quiz race rack raft rage raid rail rain ramp rank rare rate rave
read real reap rear reed reef rely rent rest rice rich ride ring riot ripe rise risk road roam roar robe rock rode role
roll roof room root rope rose rude ruin rule rush rust safe saga sage sail salt same sand save scan scar seal seam seat
seed seek seem seen self sell send sent shed ship shoe shop show shut side sign silk sing sink site size skin slid slim
slip slot slow snow soap soar sock soda sofa soft soil sold sole some song soon sore sort soul soup spin spot star stay
stem step stew stir stop such suit sung sure swan swim tail take tale talk tall tame tape task taxi team tear tell tend
tent term test text than that them then they thin this tick tide tidy tile till time tiny tone tool torn tour town toys
trap tray tree trek trim trip true tube tuna tune turn twin type ugly undo unit upon urge used user vain vale vane vary
vase vast veil vein verb very vest view vine void vote wade wage wait wake walk wall wand want warm wash wave weak wear
weed week well went were west what when whip wide wife wild will wind wine wing wipe wire wise wish with wolf wood wool
word wore work worm wrap yard yarn yawn year yell your zeal zero zest zone zoom
"""

WORDS = LIST.split()


def word_squares(words: list[str]) -> dlx.Problem:
    """The problem for a list of words of one length; its options are named (line, number, word)."""
    n = len(words[0])
    options: dict[tuple[str, int, str], list[object]] = {}
    for word in words:
        for k in range(n):
            across = [dlx.Coloured(("cell", k, j), letter) for j, letter in enumerate(word)]
            down = [dlx.Coloured(("cell", j, k), letter) for j, letter in enumerate(word)]
            options["row", k, word] = [("row", k), ("word", word), *across]
            options["column", k, word] = [("column", k), ("word", word), *down]
    cells = [("cell", r, c) for r in range(n) for c in range(n)]
    return dlx.Problem.from_options(options, secondary=[*cells, *(("word", word) for word in words)])


def squares(words: list[str]) -> list[tuple[str, ...]]:
    """The rows of every square, of a square and its transpose the one that comes first, in dictionary order."""
    problem = word_squares(words)
    found = []
    for cover in dlx.covers(problem):
        lines = sorted(problem.labels(cover))
        columns, rows = (tuple(word for line, _, word in lines if line == kind) for kind in ("column", "row"))
        if rows < columns:
            found.append(rows)
    return sorted(found)


def picture(shown: list[tuple[str, ...]], size: float = 36, across: int = 5) -> str:
    """Some squares, as letters on tiles."""
    panels = []
    for k, rows in enumerate(shown):
        tiles = [
            moved(c * size, r * size, tile(letter.upper(), size, PALETTE[k % len(PALETTE)]))
            for r, row in enumerate(rows)
            for c, letter in enumerate(row)
        ]
        panels.append(moved(24 + k % across * (4 * size + 28), 24 + k // across * (4 * size + 28), *tiles))
    rest = -(-len(shown) // across)
    return svg(
        20 + across * (4 * size + 28),
        20 + rest * (4 * size + 28),
        *panels,
        title="double word squares, as letters on tiles",
    )


def tile(letter: str, size: float, colour: str) -> str:
    """A letter on a tile."""
    block = element("rect", width=size - 3, height=size - 3, rx=6, fill=colour, fill_opacity=0.75)
    return block + text(size / 2 - 1.5, size / 2 + 6, letter, size * 0.55, font_weight="bold")


def main() -> None:
    """Counts the squares, and prints a few of them."""
    found = squares(WORDS)
    print(f"{len(WORDS)} words, {len(found)} double word squares")
    shown = found[:: len(found) // 10][:10]
    for lines in zip(*shown, strict=True):
        print("   ".join(lines))
    save(picture(shown))


if __name__ == "__main__":
    main()
