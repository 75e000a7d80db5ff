/**
 * The thread of one function instance. It does what the Lambda runtime does: it loads the bundle by `require`, then calls
 * the handler with one event after the other. An error while it loads ends it.
 */
import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type { LambdaFunction } from '../template/environment-template.ts'
import type { InvocationOutcome } from './function-instance.ts'

const lambda: LambdaFunction = workerData
const post = (outcome: InvocationOutcome): void => parentPort?.postMessage(outcome)

const [module = '', name = ''] = lambda.handler.split('.')
const handler: unknown = createRequire(import.meta.url)(join(lambda.folder, module))[name]
if (typeof handler !== 'function') throw new Error(`${lambda.handler} is undefined or not exported`)

parentPort?.on('message', async (event: string) => {
  const deadline = Date.now() + lambda.timeoutMilliseconds
  const context = {
    functionName: lambda.name,
    functionVersion: '$LATEST',
    memoryLimitInMB: String(lambda.memoryMegabytes),
    awsRequestId: randomUUID(),
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  }
  try {
    const result = await handler(JSON.parse(event), context)
    // A handler that returns nothing gives null, the only JSON there is for it.
    post({ kind: 'result', payload: JSON.stringify(result) ?? 'null' })
  } catch (thrown) {
    const { message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown))
    post({ kind: 'error', message, log: stack ?? message })
  }
})
post({ kind: 'result', payload: 'loaded' })
