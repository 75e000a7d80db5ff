import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type { HostedFunction, InvocationOutcome, InvocationRequest, ThreadMessage } from './invocation.ts'

/**
 * The thread of one function instance. It does what the Lambda runtime does: it loads the bundle by
 * `require`, then calls the handler with one event after the other.
 */
const lambda: HostedFunction = workerData
const post = (message: ThreadMessage): void => parentPort?.postMessage(message)

type Handler = (event: unknown, context: object) => unknown

const load = (): Handler => {
  const dot = lambda.handler.lastIndexOf('.')
  const file = join(lambda.folder, lambda.handler.slice(0, dot))
  const name = lambda.handler.slice(dot + 1)
  const handler: unknown = createRequire(import.meta.url)(file)[name]
  if (typeof handler !== 'function') throw new Error(`${lambda.handler} is undefined or not exported`)
  return (event, context) => handler(event, context)
}

const failure = (error: unknown): InvocationOutcome =>
  error instanceof Error
    ? { kind: 'error', errorType: error.name, errorMessage: error.message, stack: error.stack }
    : { kind: 'error', errorType: typeof error, errorMessage: String(error), stack: undefined }

const invoke = async (handler: Handler, { event, requestId, deadline }: InvocationRequest): Promise<void> => {
  const context = {
    functionName: lambda.name,
    functionVersion: '$LATEST',
    invokedFunctionArn: lambda.arn,
    memoryLimitInMB: String(lambda.memoryMegabytes),
    awsRequestId: requestId,
    logGroupName: process.env['AWS_LAMBDA_LOG_GROUP_NAME'],
    logStreamName: process.env['AWS_LAMBDA_LOG_STREAM_NAME'],
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  }
  try {
    const result = await handler(JSON.parse(event), context)
    // A handler that returns nothing gives null, the only JSON there is for it.
    post({ kind: 'result', payload: JSON.stringify(result) ?? 'null' })
  } catch (error) {
    post(failure(error))
  }
}

try {
  const handler = load()
  parentPort?.on('message', (request: InvocationRequest) => void invoke(handler, request))
  post({ kind: 'loaded' })
} catch (error) {
  post(failure(error))
}
