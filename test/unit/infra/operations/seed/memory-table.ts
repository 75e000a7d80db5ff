import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { connect } from '../../../../../infra/operations/target/local-database.ts'

/** What a pets table of a test does with the puts of a batch: takes some, and then answers or fails. */
export interface Behaviour {
  /** How many of the batch are taken; the others are unprocessed. */
  readonly takes?: (puts: number) => number
  /** Thrown once what `takes` says was taken. */
  readonly failsWith?: () => Error | undefined
  readonly delay?: () => Promise<void>
}

/** A table in the memory of the test, behind a client that sends nothing anywhere. */
export interface MemoryTable {
  readonly client: DynamoDBDocumentClient
  /** The ids that are there, with how often each was put. */
  readonly puts: Map<string, number>
  behaviour: Behaviour
  reads: number
}

export const memoryTable = (): MemoryTable => {
  const plain = connect('http://127.0.0.1:1')
  const table: MemoryTable = { client: DynamoDBDocumentClient.from(plain), puts: new Map(), behaviour: {}, reads: 0 }
  plain.middlewareStack.add(
    (_next, context) => async (given) => {
      const answer = async (output: object) => ({ response: undefined, output: { $metadata: {}, ...output } })
      if (context['commandName'] === 'GetItemCommand') {
        // What the commands of the seeding send, as they give it to the document client.
        const { Key } = given.input as unknown as { Key: Id }
        table.reads += 1
        return answer(table.puts.has(String(Key.id)) ? { Item: Key } : {})
      }
      const { RequestItems } = given.input as unknown as { RequestItems: Record<string, readonly Put[]> }
      return answer({ UnprocessedItems: await take(table, RequestItems) })
    },
    { step: 'initialize', priority: 'low', name: 'memory' },
  )
  return table
}

interface Id {
  readonly id: bigint
}

interface Put {
  readonly PutRequest: { readonly Item: Id }
}

const take = async ({ behaviour, puts }: MemoryTable, items: Readonly<Record<string, readonly Put[]>>) => {
  await behaviour.delay?.()
  const [[name, batch] = ['', []]] = Object.entries(items)
  const taken = behaviour.takes?.(batch.length) ?? batch.length
  for (const { PutRequest } of batch.slice(0, taken)) {
    const id = String(PutRequest.Item.id)
    puts.set(id, (puts.get(id) ?? 0) + 1)
  }
  const failure = behaviour.failsWith?.()
  if (failure !== undefined) throw failure
  return taken === batch.length ? {} : { [name]: batch.slice(taken) }
}
