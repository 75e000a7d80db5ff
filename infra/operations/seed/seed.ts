/** `npm run seed`: fills an environment with made-up pets. */
import { DeleteCommand, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import { conditional } from '../../../shared/dynamodb/conditional-write.ts'
import { allEnded, interruptible, progress, workThrough } from '../../command-line/long-work.ts'
import { wholeNumber } from '../../command-line/options.ts'
import { amountOf, type Report } from '../../command-line/report.ts'
import { runTool } from '../../command-line/tool.ts'
import { UserError } from '../../command-line/user-error.ts'
import { type ChangingPlace, changing, environmentTool } from '../target/carry-out.ts'
import { maximumPets, seededPet, seededPetId } from './seeded-pet.ts'

const description =
  'Writes N made-up pets beside those of the environment. They are the same every time, and written again where they are there. With --remove it removes them all.'

/**
 * Pets a second. On AWS the status index takes 1,000 writes a second of one status. At this rate seeding takes some 600 of
 * them, and leaves the rest to callers.
 */
const deployedRate = 1_000

/** @returns whether the pet was written or removed */
type Write = () => Promise<boolean>

/** The attempts that add made-up pets, this one and that of the local samples. An import may give others such ids. */
const madeUp = 'attemptId IN (:seed, :sample)'
const attempts = { ':seed': 'seed', ':sample': 'sample' }

const puts = ({ database, tables }: ChangingPlace, count: number): Iterable<Write> =>
  Iterator.from(Array(count).keys()).map((index) => async () => {
    const put = new PutCommand({
      TableName: tables.pets,
      Item: { ...seededPet(index), attemptId: attempts[':seed'] },
      ConditionExpression: `attribute_not_exists(id) OR ${madeUp}`,
      ExpressionAttributeValues: attempts,
    })
    return (await conditional(database.send(put))).met
  })

/** Of all items of made-up pets. */
async function* deletions({ database, tables }: ChangingPlace): AsyncGenerator<Write> {
  const scan = {
    ...{ TableName: tables.pets, ConsistentRead: true, FilterExpression: `id <= :last AND ${madeUp}` },
    ExpressionAttributeValues: { ...attempts, ':last': seededPetId(maximumPets - 1) },
  }
  for await (const { Items = [] } of paginateScan({ client: database }, scan)) {
    for (const { id } of Items) {
      yield async () => {
        await database.send(new DeleteCommand({ TableName: tables.pets, Key: { id } }))
        return true
      }
    }
  }
}

/** @param count of pets to write; without it, all are removed */
const seed = (place: ChangingPlace, count: number | undefined): Promise<Report> => {
  const { environment, recorded } = place
  const [action, writes, done] =
    count === undefined
      ? ['seed --remove', deletions(place), 'removed']
      : [`seed --count ${count}`, puts(place, count), 'written']
  const perSecond = environment === 'local' ? undefined : deployedRate
  let pets = 0
  const carryOut = async (write: Write): Promise<void> => {
    if (await write()) pets += 1
  }
  const text = () => `${amountOf(pets, 'made-up pet')} ${done}`
  return recorded({ action, ids: [], old: null, new: null }, async () => {
    await interruptible(
      () => `${text()} until then. Run the same command again.`,
      (signal) => {
        const pace = { signal, perSecond, advance: progress('pets', count) }
        return workThrough(writes, (batch) => allEnded(batch.map(carryOut)), pace)
      },
    )
    return { json: { environment, [done]: pets }, text: `${text()}.` }
  })
}

await runTool(
  environmentTool('npm run seed --', description)
    .option('--count <n>', `how many, at most ${maximumPets}`, wholeNumber(1, maximumPets))
    .option('--remove', 'remove all made-up pets instead')
    .action(({ count, remove = false, ...options }) => {
      if ((count === undefined) !== remove) throw new UserError('Give --count N, or --remove.')
      return changing(options, (place) => seed(place, count))
    }),
)
