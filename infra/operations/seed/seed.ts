/** `npm run seed`: fills an environment with made-up pets. */
import { DeleteCommand, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import { awaitConditionalWrite } from '../../../shared/dynamodb/conditional-write.ts'
import { processInBatches, runInterruptibly, waitForAll } from '../../command-line/long-work.ts'
import { formatCount, type Report } from '../../command-line/report.ts'
import { parseWholeNumber, runTool } from '../../command-line/tool.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Audit } from '../environment/audit.ts'
import { createEnvironmentTool, runChangeCommand } from '../environment/environment-command.ts'
import type { Environment } from '../environment/open-environment.ts'
import { createSeededPet, maximumSeededPets } from './seeded-pet.ts'

const description =
  'Writes N made-up pets beside those of the environment. They are the same every time, and written again where they are there. With --remove it removes them all.'

/**
 * Pets a second. On AWS the status index takes 1,000 writes a second of one status. At this rate seeding takes some 600 of
 * them, and leaves the rest to callers.
 */
const deployedRate = 1_000

/** The attempts that add made-up pets, this one and that of the local samples. An import may give others such ids. */
const madeUp = 'attemptId IN (:seed, :sample)'
const attempts = { ':seed': 'seed', ':sample': 'sample' }

/** The ids of all items of made-up pets. */
const madeUpIds = async ({ database, tables }: Environment, abortSignal: AbortSignal): Promise<unknown[]> => {
  const { id: last } = createSeededPet(maximumSeededPets - 1)
  const scan = {
    ...{ TableName: tables.pets, ConsistentRead: true, FilterExpression: `id <= :last AND ${madeUp}` },
    ...{ ProjectionExpression: 'id', ExpressionAttributeValues: { ...attempts, ':last': last } },
  }
  const pages = paginateScan({ client: database }, scan, { abortSignal })
  return (await Array.fromAsync(pages, ({ Items = [] }) => Items.map(({ id }) => id))).flat()
}

/** @param count of pets to write; without it, all are removed */
const seed = (environment: Environment, audit: Audit, count: number | undefined): Promise<Report> => {
  const { name, database, tables } = environment
  const TableName = tables.pets
  let pets = 0
  const write = async (index: number): Promise<void> => {
    const put = new PutCommand({
      TableName,
      Item: { ...createSeededPet(index), attemptId: attempts[':seed'] },
      ConditionExpression: `attribute_not_exists(id) OR ${madeUp}`,
      ExpressionAttributeValues: attempts,
    })
    if ((await awaitConditionalWrite(database.send(put))).met) pets += 1
  }
  const remove = async (id: unknown): Promise<void> => {
    await database.send(new DeleteCommand({ TableName, Key: { id } }))
    pets += 1
  }
  const work = async (signal: AbortSignal): Promise<void> => {
    const pace = { signal, perSecond: name === 'local' ? undefined : deployedRate }
    await (count === undefined
      ? processInBatches('pets', await madeUpIds(environment, signal), (ids) => waitForAll(ids.map(remove)), pace)
      : processInBatches('pets', [...Array(count).keys()], (indexes) => waitForAll(indexes.map(write)), pace))
  }
  const [action, done] = count === undefined ? ['seed --remove', 'removed'] : [`seed --count ${count}`, 'written']
  const sum = () => `${formatCount(pets, 'made-up pet')} ${done}`
  return audit.recordThenMake({ action, ids: [], old: null, new: null }, async () => {
    await runInterruptibly(() => `${sum()} until then. Run the same command again.`, work)
    return { json: { environment: name, [done]: pets }, text: `${sum()}.` }
  })
}

await runTool(
  createEnvironmentTool('npm run seed --', description)
    .option('--count <n>', `how many, at most ${maximumSeededPets}`, parseWholeNumber(1, maximumSeededPets))
    .option('--remove', 'remove all made-up pets instead')
    .action(({ count, remove = false, ...options }) => {
      if ((count === undefined) !== remove) throw new UserError('Give --count N, or --remove.')
      return runChangeCommand(options, (environment, audit) => seed(environment, audit, count))
    }),
)
