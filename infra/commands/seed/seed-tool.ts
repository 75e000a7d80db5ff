/** The command line of `npm run seed`. */
import { DeleteCommand, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import { awaitConditionalWrite } from '../../../shared/dynamodb/conditional-write.ts'
import { processInBatches } from '../../command-line/progress.ts'
import { formatCount, type Report } from '../../command-line/report.ts'
import { createWholeNumberParser, formatExamples } from '../../command-line/tool.ts'
import { UsageError } from '../../command-line/user-error.ts'
import { createAuditedTool, runEnvironmentCommand } from '../environment/environment-command.ts'
import type { Environment } from '../environment/open-environment.ts'
import { createSeededPet, maximumSeededPets } from './seeded-pet.ts'

const description =
  'Writes N made-up pets beside those of the local environment or of staging. They are the same every time; existing ' +
  'ones are written again. With --remove it removes them all. The audit has no record of them.'

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

type SeedEnvironment = Pick<Environment, 'name' | 'database' | 'tables'>

const findPace = ({ name }: SeedEnvironment): number | undefined => (name === 'local' ? undefined : deployedPerSecond)

/** Writes made-up pets from the first one on. An id that has another item is skipped. */
export const writeSeededPets = async (environment: SeedEnvironment, total: number): Promise<Report> => {
  const { name, database, tables } = environment
  let written = 0
  const write = async (index: number): Promise<void> => {
    const put = new PutCommand({
      TableName: tables.pets,
      Item: { ...createSeededPet(index), attemptId: attemptIds[':seed'] },
      ConditionExpression: `attribute_not_exists(id) OR ${isMadeUp}`,
      ExpressionAttributeValues: attemptIds,
    })
    const { met } = await awaitConditionalWrite(database.send(put))
    if (met) written += 1
  }
  await processInBatches('pets', [...Array(total).keys()], write, findPace(environment))
  return { json: { environment: name, written }, text: `${formatCount(written, 'made-up pet')} written.` }
}

/** Removes all made-up pets. */
export const removeSeededPets = async (environment: SeedEnvironment): Promise<Report> => {
  const { name, database, tables } = environment
  const ids = await findSeededPetIds(environment)
  const remove = (id: unknown) => database.send(new DeleteCommand({ TableName: tables.pets, Key: { id } }))
  await processInBatches('pets', ids, remove, findPace(environment))
  const removed = ids.length
  return { json: { environment: name, removed }, text: `${formatCount(removed, 'made-up pet')} removed.` }
}

const findSeededPetIds = async ({ database, tables }: SeedEnvironment): Promise<readonly unknown[]> => {
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
  for await (const { Items = [] } of paginateScan({ client: database }, scan)) {
    for (const { id } of Items) ids.push(id)
  }
  return ids
}

export const createSeedTool = () =>
  createAuditedTool('npm run seed --', description)
    .option('--count <n>', `how many, at most ${maximumSeededPets}`, createWholeNumberParser(1, maximumSeededPets))
    .option('--remove', 'remove all made-up pets instead')
    .addHelpText(
      'after',
      formatExamples('npm run seed -- --env local --count 1000', 'npm run seed -- --env local --remove'),
    )
    .action(({ count, remove = false, ...options }) => {
      if (options.env === 'production') throw new UsageError('Production gets no made-up pets: name local or staging.')
      const isCountGiven = count !== undefined
      if (isCountGiven === remove) throw new UsageError('Give --count N, or --remove.')
      return runEnvironmentCommand(options, (environment) =>
        count === undefined ? removeSeededPets(environment) : writeSeededPets(environment, count),
      )
    })
