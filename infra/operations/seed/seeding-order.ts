/** As many pets as one BatchWriteItem takes. */
export const blockSize = 25

/** How many blocks are written at a time. */
const blocksAtATime = 8

/**
 * What makes an interrupted seeding exact to resume: of two pets that lie this far apart, the earlier one is
 * written before the later one is begun. So where a pet is there, all those further before it are there too.
 */
export const reach = blockSize * blocksAtATime

/** Which of the pets to seed are there. */
export interface Seeded {
  /** The indexes that are not there, in ascending order, are these ... */
  readonly missing: readonly number[]
  /** ... and all from here on. */
  readonly noneFrom: number
}

export const nothingSeeded: Seeded = { missing: [], noneFrom: 0 }

/** Some pets of one block of 25 indexes. Blocks are aligned, so that no batch spans more than its block. */
export interface Block {
  readonly number: number
  readonly indexes: readonly number[]
}

/** What there is to write, in ascending order. Lazily: ten million indexes are never held at once. */
export function* blocksToWrite({ missing, noneFrom }: Seeded, count: number): Generator<Block> {
  let indexes: number[] = []
  let number = -1
  for (const index of indexesToWrite(missing, noneFrom, count)) {
    const own = Math.floor(index / blockSize)
    if (own !== number && indexes.length > 0) {
      yield { number, indexes }
      indexes = []
    }
    number = own
    indexes.push(index)
  }
  if (indexes.length > 0) yield { number, indexes }
}

function* indexesToWrite(missing: readonly number[], noneFrom: number, count: number): Generator<number> {
  yield* missing
  for (let index = noneFrom; index < count; index += 1) yield index
}

/**
 * Works on blocks side by side, and begins none before all of `blocksAtATime` numbers before it are done.
 * Begins no other once one failed or `ended` says so; waits for those under way in any case.
 *
 * @throws the first error
 */
export const workInOrder = async (
  blocks: Iterable<Block>,
  work: (block: Block) => Promise<void>,
  ended: () => boolean,
): Promise<void> => {
  const underWay: { readonly number: number; readonly done: Promise<void> }[] = []
  const failures: unknown[] = []
  for (const block of blocks) {
    while (underWay[0] !== undefined && underWay[0].number <= block.number - blocksAtATime) {
      await underWay[0].done
      underWay.shift()
    }
    if (ended() || failures.length > 0) break
    const done = work(block).catch((error: unknown) => {
      failures.push(error)
    })
    underWay.push({ number: block.number, done })
  }
  await Promise.all(underWay.map(({ done }) => done))
  if (failures.length > 0) throw failures[0]
}
