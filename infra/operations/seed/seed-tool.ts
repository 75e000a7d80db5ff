/** The command line of `npm run seed`. */
import { DeleteCommand, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import { awaitConditionalWrite } from '../../../shared/dynamodb/conditional-write.ts'
import { processInBatches, runInterruptibly, waitForAll } from '../../command-line/long-work.ts'
import { formatCount, type Report } from '../../command-line/report.ts'
import { createWholeNumberParser, formatExamples } from '../../command-line/tool.ts'
import { UsageError, type UserError } from '../../command-line/user-error.ts'
import { type Audit, UncertainChangeError } from '../environment/audit.ts'
import { createEnvironmentTool, runChangeCommand } from '../environment/environment-command.ts'
import type { Environment } from '../environment/open-environment.ts'
import { createSeededPet, maximumSeededPets } from './seeded-pet.ts'

const description =
  'Writes N made-up pets beside those of the environment. They are the same every time; existing ones are written ' +
  'again. With --remove it removes them all.'

/**
 * Pets written in a second on AWS. The status index takes 1,000 writes a second of one status. At this rate, seeding
 * uses some 600 of them and leaves the rest to callers.
 */
const deployedPerSecond = 1_000

/**
 * Condition that a made-up pet meets: this command or the samples of the local environment have written it. The id
 * alone does not tell, because an import may use the same id for another pet.
 */
const isMadeUp = 'attemptId IN (:seed, :sample)'

const attemptIds = { ':seed': 'seed', ':sample': 'sample' }

/** @param countPet counts a pet that is done */
type SeedWork = (signal: AbortSignal, countPet: () => void) => Promise<void>

/** Runs work on made-up pets: records it in the audit, and reports the number of pets. */
const runSeedWork = (
  { name }: Environment,
  audit: Audit,
  { action, participle }: { readonly action: string; readonly participle: 'written' | 'removed' },
  work: SeedWork,
): Promise<Report> => {
  let count = 0
  const countPet = (): void => {
    count += 1
  }
  const describeCount = (): string => formatCount(count, 'made-up pet')

  // The audit has a line for all pets of the run, because its number says which ones they are.
  return audit.recordThenMake({ action, ids: [], old: null, new: null }, async () => {
    await runInterruptibly(
      // A pet whose response was lost may be among them too.
      () => `Known to be ${participle}: ${describeCount()}. Run the same command again.`,
      (signal) => work(signal, countPet),
    ).catch((cause: UserError) => {
      throw new UncertainChangeError(cause.message, { cause, exitCode: cause.exitCode })
    })
    return { json: { environment: name, [participle]: count }, text: `${describeCount()} ${participle}.` }
  })
}

const choosePace = ({ name }: Environment): number | undefined => (name === 'local' ? undefined : deployedPerSecond)

/** Writes made-up pets from the first one on. An id that has another item is skipped. */
export const writeSeededPets = (environment: Environment, audit: Audit, total: number): Promise<Report> => {
  const { database, tables } = environment

  const work: SeedWork = async (signal, countPet) => {
    const write = async (index: number): Promise<void> => {
      const put = new PutCommand({
        TableName: tables.pets,
        Item: { ...createSeededPet(index), attemptId: attemptIds[':seed'] },
        ConditionExpression: `attribute_not_exists(id) OR ${isMadeUp}`,
        ExpressionAttributeValues: attemptIds,
      })
      const { met } = await awaitConditionalWrite(database.send(put))
      if (met) countPet()
    }
    const indexes = [...Array(total).keys()]
    await processInBatches('pets', indexes, (batch) => waitForAll(batch.map(write)), {
      signal,
      perSecond: choosePace(environment),
    })
  }
  return runSeedWork(environment, audit, { action: `seed --count ${total}`, participle: 'written' }, work)
}

/** Removes all made-up pets. */
export const removeSeededPets = (environment: Environment, audit: Audit): Promise<Report> => {
  const { database, tables } = environment

  const work: SeedWork = async (signal, countPet) => {
    const remove = async (id: unknown): Promise<void> => {
      await database.send(new DeleteCommand({ TableName: tables.pets, Key: { id } }))
      countPet()
    }
    const ids = await findSeededPetIds(environment, signal)
    await processInBatches('pets', ids, (batch) => waitForAll(batch.map(remove)), {
      signal,
      perSecond: choosePace(environment),
    })
  }
  return runSeedWork(environment, audit, { action: 'seed --remove', participle: 'removed' }, work)
}

const findSeededPetIds = async (
  { database, tables }: Environment,
  abortSignal: AbortSignal,
): Promise<readonly unknown[]> => {
  const lastPet = createSeededPet(maximumSeededPets - 1)
  const scan = {
    TableName: tables.pets,
    ConsistentRead: true,
    FilterExpression: `id <= :last AND ${isMadeUp}`,
    ProjectionExpression: 'id',
    ExpressionAttributeValues: { ...attemptIds, ':last': lastPet.id },
  }
  const ids: unknown[] = []
  // Ten million pets can be made up, so each page is dropped once its ids are read.
  for await (const { Items = [] } of paginateScan({ client: database }, scan, { abortSignal })) {
    for (const { id } of Items) ids.push(id)
  }
  return ids
}

export const createSeedTool = () =>
  createEnvironmentTool('npm run seed --', description)
    .option('--count <n>', `how many, at most ${maximumSeededPets}`, createWholeNumberParser(1, maximumSeededPets))
    .option('--remove', 'remove all made-up pets instead')
    .addHelpText(
      'after',
      formatExamples('npm run seed -- --env local --count 1000', 'npm run seed -- --env local --remove'),
    )
    .action(({ count, remove = false, ...options }) => {
      const isCountGiven = count !== undefined
      if (isCountGiven === remove) throw new UsageError('Give --count N, or --remove.')
      return runChangeCommand(options, (environment, audit) =>
        count === undefined ? removeSeededPets(environment, audit) : writeSeededPets(environment, audit, count),
      )
    })
