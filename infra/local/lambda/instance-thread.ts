/**
 * The thread of one function instance. It does what the Lambda runtime does: it loads the bundle by `require`, then
 * calls the handler with one event after the other. An error while the bundle loads ends the thread.
 */
import { randomUUID } from 'node:crypto'
import { createRequire, registerHooks } from 'node:module'
import { join, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import type { LambdaFunction } from '../template/environment-template.ts'
import type { InvocationOutcome } from './function-instance.ts'

// Each instance loads this file again. It imports only types and modules of Node.js, so that an instance starts soon.
const lambda: LambdaFunction = workerData
const post = (outcome: InvocationOutcome): void => parentPort?.postMessage(outcome)

const [moduleName = '', exportName = ''] = lambda.handler.split('.')

// A deployed bundle does not name its source map. The comment that names it for Node.js is added while it is loaded.
if (lambda.sourceMap !== undefined) {
  const bundleUrl = pathToFileURL(join(lambda.folder, `${moduleName}.js`)).href
  // Node.js takes a path from the folder of the bundle. It does not read a `file:` URL.
  const path = relative(lambda.folder, lambda.sourceMap).replaceAll(sep, '/')
  const comment = `\n//# sourceMappingURL=${path}`
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context)
      return url === bundleUrl ? { ...loaded, source: `${loaded.source}${comment}` } : loaded
    },
  })
}

const require = createRequire(import.meta.url)
const handler: unknown = require(join(lambda.folder, moduleName))[exportName]
if (typeof handler !== 'function') throw new Error(`${lambda.handler} is undefined or not exported`)

/** Creates the context of an invocation. Unlike Lambda's, it has only the members that this service and middy read. */
const createContext = () => {
  const deadline = Date.now() + lambda.timeoutMilliseconds
  return {
    functionName: lambda.name,
    awsRequestId: randomUUID(),
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  }
}

parentPort?.on('message', async (event: string) => {
  const context = createContext()
  try {
    const result = await handler(JSON.parse(event), context)
    // JSON has no undefined: a handler that returns nothing has the result null.
    post({ kind: 'result', payload: JSON.stringify(result) ?? 'null' })
  } catch (thrown) {
    const { message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown))
    post({ kind: 'error', message, log: stack ?? message })
  }
})

// The first message tells the host that the bundle has loaded.
post({ kind: 'result', payload: 'loaded' })
