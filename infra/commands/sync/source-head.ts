/**
 * The head of each source, which is a shelter: an item with the id of its latest run, which is one call of `pets sync`.
 * Every transaction of a run checks that the head has the id of this run. So once a later run has written its id there,
 * an earlier one writes nothing more. The files that have passed all checks are in another item of the source, so that
 * the head, which every transaction writes, is small.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { GetCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { generateRandomText } from '../../../shared/api-keys/api-key.ts'
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import { findUnmetItems } from '../../../shared/dynamodb/conditional-write.ts'
import { exitCodes, UserError } from '../../command-line/user-error.ts'
import type { Guard } from '../changes/engine.ts'
import { readPartition } from '../changes/number-index.ts'
import type { TableAccess } from '../environment/open-environment.ts'

/**
 * Partitions of the index of numbers beside those of the sources, whose names have no `#`. In both, the sort key
 * `number` has the name of a source.
 */
const headPartition = '#heads'
const passedPartition = '#passed'

/** Maximum number of passed files of a source that are stored: the file of an older night counts as a new one. */
const rememberedFiles = 40

/** Maximum number of attempts to begin a run while other runs begin. */
const maximumAttempts = 20

/** A file that has passed all checks, with its settings. */
export interface PassedFile {
  readonly fileName: string
  readonly fileHash: string
  readonly settingsHash: string
  /** Number of animals in the file. */
  readonly animalCount: number
  /** Time of the run, such as `2030-12-31T23:59:59.999Z`. */
  readonly at: string
  /** Id of the run in which the file has passed. */
  readonly run: string
}

/** One call of `pets sync` that writes. */
export interface Run {
  readonly source: string
  readonly id: string
}

/** Reads the item of a source in one of the two partitions (strongly consistent); undefined before its first run. */
const readItem = async ({ database, tables }: TableAccess, partition: string, source: string) => {
  const Key = { source: partition, number: source }
  const { Item } = await database.send(new GetCommand({ TableName: tables.listings, Key, ConsistentRead: true }))
  return Item
}

/** Finds the id of the latest run of a source. Only `takeHead` writes it, so it needs no check. */
const findLatestRun = async (environment: TableAccess, source: string): Promise<string | undefined> =>
  (await readItem(environment, headPartition, source))?.['run']

/** Begins a run: from then on no earlier run of the source writes anything. */
export const beginRun = async (environment: TableAccess, source: string): Promise<Run> => {
  const run: Run = { source, id: generateRandomText(12) }
  for (let attempt = 0; attempt < maximumAttempts; attempt += 1) {
    if (await takeHead(environment, run)) return run
  }
  throw new UserError(`${source}: other runs begin at the same time. Run the same command again.`)
}

/** Writes the id of a run into the head. @returns false if another run has begun meanwhile */
const takeHead = async (environment: TableAccess, run: Run): Promise<boolean> => {
  const latest = await findLatestRun(environment, run.source)
  try {
    await environment.database.send(
      new UpdateCommand({
        TableName: environment.tables.listings,
        Key: { source: headPartition, number: run.source },
        UpdateExpression: 'SET run = :id',
        ConditionExpression: latest === undefined ? 'attribute_not_exists(run)' : 'run = :latest',
        // The client leaves `:latest` out if it is undefined.
        ExpressionAttributeValues: { ':id': run.id, ':latest': latest },
      }),
    )
    return true
  } catch (error) {
    // The write may have been made, and only its response lost.
    if ((await findLatestRun(environment, run.source)) === run.id) return true
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}

/**
 * Creates the guard of a run, which is unmet once a later run of the source has begun.
 *
 * @param known the last file that had passed when this run looked. If another one is the last when the guard is unmet,
 * it is the file of the later run
 */
const createGuard = (environment: TableAccess, run: Run, known: PassedFile | undefined): Guard => ({
  // An update that changes nothing. A ConditionCheck would cost the same, and the local database has none.
  write: {
    Update: {
      TableName: environment.tables.listings,
      Key: { source: headPartition, number: run.source },
      UpdateExpression: 'SET run = :run',
      ConditionExpression: 'run = :run',
      ExpressionAttributeValues: { ':run': run.id },
    },
  },
  explainUnmet: async () => {
    const last = (await readPassedFiles(environment, run.source)).at(-1)
    const ending = `${run.source}: a later run has begun, so this one ends.`
    if (last === undefined || last.run === known?.run) {
      return new UserError(
        `${ending} No file of it has passed: it was refused, or goes on. Run the same command again.`,
      )
    }
    const advice = `Its file ${last.fileName} has passed, and the list follows that one.`
    return new UserError(`${ending} ${advice}`, { exitCode: exitCodes.conflict })
  },
})

/** Reads the files of a source that have passed, the oldest first. */
export const readPassedFiles = async (environment: TableAccess, source: string): Promise<readonly PassedFile[]> =>
  pickFiles(await readItem(environment, passedPartition, source))

/** Picks the files of an item. Only `notePassedFile` writes them, so they need no check. */
const pickFiles = (item: Attributes | undefined): readonly PassedFile[] =>
  Array.isArray(item?.['files']) ? item['files'] : []

/** Reads the last file of every source, by the names of the sources. */
export const readLastFiles = async (environment: TableAccess): Promise<ReadonlyMap<string, PassedFile>> => {
  const lastFiles = new Map<string, PassedFile>()
  for await (const item of readPartition(environment, passedPartition)) {
    const last = pickFiles(item).at(-1)
    if (last !== undefined) lastFiles.set(String(item['number']), last)
  }
  return lastFiles
}

/**
 * Notes that a file has passed all checks, on condition that no later run has begun. If the run is then killed, and
 * repeated, the rest of its changes raises no doubt.
 *
 * @param files the files that have passed so far
 * @returns the guard of the transactions that follow
 */
export const notePassedFile = async (
  environment: TableAccess,
  run: Run,
  files: readonly PassedFile[],
  file: Omit<PassedFile, 'run'>,
): Promise<Guard> => {
  const { database, tables } = environment
  const passed: PassedFile = { ...file, run: run.id }
  const last = files.at(-1)
  // A file that is given once more replaces its entry, which is the last one.
  const earlierFiles = last !== undefined && isSameFile(last, file) ? files.slice(0, -1) : files
  const guard = createGuard(environment, run, last)
  const Item = {
    source: passedPartition,
    number: run.source,
    files: [...earlierFiles, passed].slice(-rememberedFiles),
  }
  const put = { Put: { TableName: tables.listings, Item } }
  try {
    await database.send(new TransactWriteCommand({ TransactItems: [guard.write, put] }))
  } catch (error) {
    // The guard is the only one of the two writes that has a condition.
    if (findUnmetItems(error) !== undefined) throw await guard.explainUnmet()
    throw error
  }
  return createGuard(environment, run, passed)
}

type Hashes = Pick<PassedFile, 'fileHash' | 'settingsHash'>

/** Whether two files are the same, and their settings too, byte for byte. */
export const isSameFile = (one: Hashes, other: Hashes): boolean =>
  one.fileHash === other.fileHash && one.settingsHash === other.settingsHash
