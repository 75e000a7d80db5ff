/** A shelter whose files `pets sync` brings in: at times two runs at once or an older file, and some are killed. */
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { ChangeAudit } from '../../infra/operations/environment/change-audit.ts'
import { ListingTable } from '../../infra/operations/pets/sync/listing-table.ts'
import type { SourceSettings } from '../../infra/operations/pets/sync/settings.ts'
import { syncFile } from '../../infra/operations/pets/sync/sync.ts'
import type { CommandOutcome } from './command-rules.ts'
import { type Operators, openEnvironmentAt, runCommand } from './operators.ts'
import type { Random } from './random.ts'

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
export const startSource = async (operators: Operators): Promise<void> => {
  const { random, isClosing, rest } = operators
  const own = random.fork()
  let file: ShelterFile = { hash: 'file 0', rows: [] }
  for (let number = 1; !isClosing(); number += 1) {
    await rest(own.untilNext(180) * 1_000)
    if (isClosing()) break
    const earlier = file
    file = { hash: `file ${number}`, rows: changeRows(own, earlier.rows, number) }
    const second = own.pick([undefined, undefined, file, earlier])
    const files = second === undefined ? [file] : [file, second]
    const runs = await Promise.all(
      files.map(async (chosen) => ({ file: chosen, outcome: (await sync(operators, own, chosen)).outcome })),
    )
    await checkLastRun(operators, runs)
  }
  while ((await sync(operators, own, file)).outcome !== 'done') await rest(1_000)
  await checkAnimals(operators, file)
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

const sync = async (operators: Operators, random: Random, file: ShelterFile) => {
  const { time, history, auditRules } = operators
  await time.pause(random.between(0, 2_000))
  history.note(settings.source, `${file.hash} is brought in`)
  return runCommand(operators, {
    kind: 'pets sync',
    subject: settings.source,
    killProbability: 0.02,
    run: ({ process, who }) => {
      const environment = openEnvironmentAt(operators, process, (write) => auditRules.recordWrite(write))
      // The command refuses to run on a machine whose clock is wrong, so this one is right.
      const clock = () => time.now
      const audit = new ChangeAudit(environment, { who, clock })
      return syncFile(environment, audit, { file, settings, acceptChanges: true, clock })
    },
    // A run ends when a later one of its source has begun.
    isConflict: ({ error }) => /^(A later run of|Other runs of)/.test(Object(error).message),
  })
}

/** Compares the animals of the source with the file of the run that began last, if that run is done. */
const checkLastRun = async (
  operators: Operators,
  runs: readonly { readonly file: ShelterFile; readonly outcome: CommandOutcome }[],
): Promise<void> => {
  const { database, tables } = operators
  const head = await new ListingTable(database.observe(), tables.listings).findHead(settings.source)
  const lastRuns = runs.filter(({ file }) => file.hash === head?.hash)
  const [lastRun] = lastRuns
  const isDone = lastRuns.every(({ outcome }) => outcome === 'done')
  if (lastRun !== undefined && isDone) await checkAnimals(operators, lastRun.file)
}

/**
 * Compares the animals of the source with a file. One that was adopted before any run has listed it is never added.
 */
const checkAnimals = async ({ database, tables, history }: Operators, file: ShelterFile): Promise<void> => {
  const observer = database.observe()
  const stored: string[] = []
  let start: Record<string, unknown> | undefined
  do {
    const scan = new ScanCommand({ TableName: tables.pets, ConsistentRead: true, ExclusiveStartKey: start })
    const { Items = [], LastEvaluatedKey } = await observer.send(scan)
    const animals = Items.filter(({ source, removed }) => source === settings.source && removed === undefined)
    stored.push(...animals.map(({ reference, name, status }) => describeAnimal(reference, name, status)))
    start = LastEvaluatedKey
  } while (start !== undefined)

  const remaining = [...stored]
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
