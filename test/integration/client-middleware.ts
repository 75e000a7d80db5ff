import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { clientOf, type RunningEngine } from './engines.ts'

/** A call to DynamoDB, with the times (milliseconds) between which it ran. */
export interface RecordedCall {
  readonly operation: string
  readonly startedAt: number
  readonly endedAt: number
}

/** A client that records the calls that are made with it. The SDK's own repetitions are not among them. */
export const recordingClient = (engine: RunningEngine): { client: DynamoDBDocumentClient; calls: RecordedCall[] } => {
  const { client, plain } = clientOf(engine)
  const calls: RecordedCall[] = []
  plain.middlewareStack.add(
    (next, context) => async (given) => {
      const startedAt = performance.now()
      try {
        return await next(given)
      } finally {
        const operation = String(context['commandName']).replace(/Command$/, '')
        calls.push({ operation, startedAt, endedAt: performance.now() })
      }
    },
    { step: 'initialize', name: 'record' },
  )
  return { client, calls }
}

/** A client that does something before each call of one operation, such as failing. */
export const interceptingClient = (
  engine: RunningEngine,
  operation: 'BatchGetItem' | 'GetItem' | 'PutItem' | 'UpdateItem',
  before: (input: Readonly<Record<string, unknown>>) => Promise<void>,
): DynamoDBDocumentClient => {
  const { client, plain } = clientOf(engine)
  plain.middlewareStack.add(
    (next, context) => async (given) => {
      if (context['commandName'] === `${operation}Command`) await before({ ...given.input })
      return next(given)
    },
    { step: 'initialize', name: 'intercept' },
  )
  return client
}

/** A client that loses the first answer of DynamoDB on its way, so that the SDK repeats the call. */
export const forgetfulClient = (engine: RunningEngine): DynamoDBDocumentClient => {
  const { client, plain } = clientOf(engine)
  let isLost = false
  plain.middlewareStack.add(
    (next) => async (given) => {
      const answer = await next(given)
      if (isLost) return answer
      isLost = true
      throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' })
    },
    { step: 'finalizeRequest', priority: 'low', name: 'forget' },
  )
  return client
}
