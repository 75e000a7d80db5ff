/** A shelter whose files `pets sync` brings in: at times two runs at once or an older file, and some are killed. */
import { ListingTable } from '../../infra/commands/pets/sync/listing-table.ts'
import type { SourceSettings } from '../../infra/commands/pets/sync/settings.ts'
import { syncFile } from '../../infra/commands/pets/sync/sync.ts'
import { systemClock } from '../../shared/clock.ts'
import { isRemoved } from '../../shared/pets/pet-table.ts'
import { runCommand } from './operators.ts'
import { readItems } from './pet-rules.ts'
import type { Random } from './random.ts'
import type { World } from './world.ts'

const settings: SourceSettings = {
  source: 'shelter',
  columns: { reference: 'Number', name: 'Name', category: 'Kind', status: 'State' },
  categories: new Map([
    ['Dog', 1n],
    ['Cat', 2n],
  ]),
  statuses: new Map([
    ['Ready', 'available'],
    ['Reserved', 'pending'],
    ['Adopted', 'sold'],
  ]),
  missing: 'remove',
}

/** A row of a file. */
interface Row {
  readonly reference: string
  readonly name: string
  readonly category: 'Dog' | 'Cat'
  readonly status: 'Ready' | 'Reserved' | 'Adopted'
}

interface ShelterFile {
  readonly hash: string
  readonly rows: readonly Row[]
}

/** The most animals that come and that go between two files. */
const largestChange = 10

/** Starts a source: every few minutes there is a file. At the end its last file is brought in until it is done. */
export const startSource = async (world: World): Promise<void> => {
  const { isClosing, rest } = world
  const random = world.random.fork()
  let file: ShelterFile = { hash: 'file 0', rows: [] }
  for (let number = 1; !isClosing(); number += 1) {
    await rest(random.untilNext(180) * 1_000)
    if (isClosing()) break
    const earlier = file
    file = { hash: `file ${number}`, rows: changeRows(random, earlier.rows, number) }
    const second = random.pick([undefined, undefined, file, earlier])
    const files = second === undefined ? [file] : [file, second]
    const runs = files.map(async (chosen) => ({ file: chosen, outcome: (await sync(world, random, chosen)).outcome }))
    await checkLastRun(world, await Promise.all(runs))
  }
  while ((await sync(world, random, file)).outcome !== 'done') await rest(1_000)
  await checkAnimals(world, file)
}

/** Draws the rows of the next file: some animals are new, some change, some have gone. */
const changeRows = (random: Random, rows: readonly Row[], number: number): readonly Row[] => {
  const gone = random.integer(0, Math.min(largestChange, rows.length - 1))
  const kept = rows.slice(Math.max(0, gone)).map((row): Row => {
    if (!random.chance(0.2)) return row
    if (random.chance(0.3)) return { ...row, name: `${row.reference} renamed by file ${number}` }
    return { ...row, status: random.pick(['Ready', 'Reserved', 'Adopted']) }
  })
  const added = Array.from({ length: random.integer(1, largestChange) }, (_, index): Row => {
    const reference = `N${number}-${index}`
    return { reference, name: reference, category: random.pick(['Dog', 'Cat']), status: 'Ready' }
  })
  return [...kept, ...added]
}

const sync = async (world: World, random: Random, file: ShelterFile) => {
  await world.time.pause(random.between(0, 2_000))
  world.history.note(settings.source, `${file.hash} is brought in`)
  return runCommand(world, {
    kind: 'pets sync',
    subject: settings.source,
    run: ({ environment, audit }) =>
      syncFile(environment, audit, { file, settings, acceptChanges: true, clock: systemClock }),
    // A run ends when a later one of its source has begun.
    isConflict: (error) => /^(A later run of|Other runs of)/.test(Object(error).message),
  })
}

/** Compares the animals of the source with the file of the run that began last, if that run is done. */
const checkLastRun = async (
  world: World,
  runs: readonly { readonly file: ShelterFile; readonly outcome: string }[],
): Promise<void> => {
  const { database, tables } = world
  const head = await new ListingTable(database.observe(), tables.listings).findHead(settings.source)
  const lastRuns = runs.filter(({ file }) => file.hash === head?.hash)
  const [lastRun] = lastRuns
  const isDone = lastRuns.every(({ outcome }) => outcome === 'done')
  if (lastRun !== undefined && isDone) await checkAnimals(world, lastRun.file)
}

/** Compares the animals of the source with a file. One that was adopted before any run has listed it is never added. */
const checkAnimals = async ({ database, tables, history }: World, file: ShelterFile): Promise<void> => {
  const items = await readItems(database.observe(), tables.pets)
  const remaining = items
    .filter((item) => item['source'] === settings.source && !isRemoved(item))
    .map(({ reference, name, status }) => describeAnimal(reference, name, status))
  const missing: string[] = []
  for (const { reference, name, status } of file.rows) {
    const wanted = describeAnimal(reference, name, settings.statuses.get(status))
    const index = remaining.indexOf(wanted)
    if (index !== -1) remaining.splice(index, 1)
    else if (status !== 'Adopted') missing.push(wanted)
  }
  if (missing.length + remaining.length === 0) return
  const text = `${file.hash}: missing ${missing.join(', ')}; too many ${remaining.join(', ')}`
  history.report('a source has the animals of its last file', settings.source, text)
}

const describeAnimal = (...values: readonly unknown[]): string => values.join(' ')
