import { writeFileSync } from 'node:fs'
import { availableParallelism, devNull } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { localStage } from '../../../../../infra/environments.ts'
import { createFunctionHost } from '../../../../../infra/local/lambda/function-host.ts'
import {
  type LambdaFunction,
  readEnvironmentTemplate,
} from '../../../../../infra/local/template/environment-template.ts'
import { sharedAssembly } from '../../../../fixtures/environment/local-environment.ts'
import { createTemporaryFolder } from '../../../../fixtures/machine/temporary-folder.ts'

/** A timeout that no function reaches, however busy this machine is: vitest ends a test that hangs long before. */
const longTimeoutMilliseconds = 3_600_000

/** Endpoint without a database: no function of these tests calls one. */
const databaseEndpoint = 'http://127.0.0.1:1'

/** Writes a deployable bundle of one file, and describes it as the template of an environment does. */
const writeFunctionBundle = (code: string, change: Partial<LambdaFunction> = {}): LambdaFunction => {
  const folder = createTemporaryFolder()
  writeFileSync(join(folder, 'bundle.js'), code)
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}')
  return {
    name: 'hosted',
    folder,
    sourceMap: undefined,
    handler: 'bundle.handler',
    environment: {},
    timeoutMilliseconds: longTimeoutMilliseconds,
    memoryMegabytes: 128,
    ...change,
  }
}

/** Hosts one function until the test is finished. Invocations give its result, or the message of its error. */
const hostFunction = (code: string, change: Partial<LambdaFunction> = {}) => {
  const lines: string[] = []
  const { close, invoke } = createFunctionHost({
    functions: new Map([['hosted', writeFunctionBundle(code, change)]]),
    databaseEndpoint,
    writeLine: (line) => lines.push(line),
  })
  onTestFinished(close)

  const invokeHosted = async (event: object = {}): Promise<unknown> => {
    const outcome = await invoke('hosted', JSON.stringify(event))
    return outcome.kind === 'result' ? JSON.parse(outcome.payload) : outcome.message
  }
  return { invoke: invokeHosted, lines, close }
}

test('a function gets its event and a context, and its result is JSON', async () => {
  const code = `exports.handler = async (event, context) => ({
    event,
    id: context.awsRequestId,
    name: context.functionName,
    remaining: context.getRemainingTimeInMillis(),
    omitted: undefined,
  })`
  const { invoke } = hostFunction(code)

  expect(await invoke({ a: [1] })).toEqual({
    event: { a: [1] },
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'hosted',
    // At least 50 minutes of the timeout of an hour are left when the function is called.
    remaining: expect.toSatisfy((left: number) => left > 3_000_000 && left <= longTimeoutMilliseconds),
  })
})

test('a function has the variables of its template and of the Lambda runtime, and no other one', async () => {
  vi.stubEnv('AWS_PROFILE', 'the profile of this machine')
  const code = 'exports.handler = async () => process.env'
  const { invoke } = hostFunction(code, { environment: { PETS_TABLE: 'pets' } })

  expect(await invoke()).toEqual({
    PETS_TABLE: 'pets',
    AWS_ACCESS_KEY_ID: expect.any(String),
    AWS_SECRET_ACCESS_KEY: expect.any(String),
    AWS_REGION: 'us-east-1',
    AWS_EXECUTION_ENV: expect.stringContaining('AWS_Lambda_nodejs'),
    AWS_LAMBDA_FUNCTION_NAME: 'hosted',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '128',
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_ENDPOINT_URL_DYNAMODB: databaseEndpoint,
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
  })
})

test('several instances run at once, each with one invocation at a time', async () => {
  const { invoke } = hostFunction(`let running = 0
    exports.handler = async () => {
      const together = ++running
      await new Promise((resolve) => setTimeout(resolve, 100))
      running -= 1
      return { together, thread: require('node:worker_threads').threadId }
    }`)
  const maximumInstances = Math.max(2, availableParallelism())

  // Three times as many invocations as instances, so that instances are used again.
  const invocations = Array.from({ length: 3 * maximumInstances }, async () => Object(await invoke()))
  const results = await Promise.all(invocations)

  const counts = new Set(results.map(({ together }) => together))
  const threads = new Set(results.map(({ thread }) => thread))
  expect(counts).toEqual(new Set([1]))
  expect(threads.size).toBeGreaterThan(1)
  expect(threads.size).toBeLessThanOrEqual(maximumInstances)
})

test('an instance whose function throws is used again', async () => {
  const { invoke } = hostFunction(`let calls = 0
    exports.handler = async () => {
      calls += 1
      if (calls === 1) throw Error('!')
      return calls
    }`)

  expect(await invoke()).toBe('!')
  expect(await invoke()).toBe(2)
})

test.each([
  { problem: 'cannot be loaded', code: "throw new SyntaxError('no module')", message: 'no module' },
  { problem: 'lacks its handler', code: 'exports.a = 1', message: 'bundle.handler is undefined or not exported' },
])('a function that $problem has the same error at each invocation', async ({ code, message }) => {
  const { invoke } = hostFunction(code)

  expect(await invoke()).toBe(message)
  expect(await invoke()).toBe(message)
})

test('the stack of an error names positions in the files of the repository', async () => {
  const { functions } = readEnvironmentTemplate(sharedAssembly, localStage)
  const lines: string[] = []
  const host = createFunctionHost({
    functions,
    databaseEndpoint,
    writeLine: (line) => lines.push(line),
  })
  onTestFinished(host.close)

  // The handler fails on this event, which API Gateway never sends.
  const outcome = await host.invoke('get-pet', 'null')
  host.report('get-pet', outcome.kind === 'error' ? outcome.log : '')

  expect(lines.join('\n')).toMatch(/^\[get-pet\] TypeError: .*\n +at .*\(?shared\/http\/[\w/-]+\.ts:\d+:\d+\)?$/m)
})

/** Limit of a function that never ends by itself. */
const shortTimeout = { timeoutMilliseconds: 300 }

test.each([
  {
    problem: 'never settles',
    code: 'await new Promise(() => {})',
    limits: shortTimeout,
    message: /^Task timed out after 0\.30 seconds$/,
  },
  {
    problem: 'loops without end',
    code: 'for (;;);',
    limits: shortTimeout,
    message: /^Task timed out after 0\.30 seconds$/,
  },
  {
    problem: 'exits',
    code: 'process.exit(3)',
    limits: {},
    message: /exit code 3/,
  },
  {
    problem: 'throws outside a promise',
    code: "setTimeout(() => { throw Error('late') }); await new Promise(() => {})",
    limits: {},
    message: /late/,
  },
  {
    problem: 'needs too much memory',
    code: 'const all = []; for (;;) all.push(new Array(1e6).fill({}))',
    limits: {},
    message: /memory/,
  },
])('an instance that $problem is ended, and another runs the next invocation', async ({ code, limits, message }) => {
  const handler = `exports.handler = async (event) => { if (event.end) { ${code} } return 'fine' }`
  // A small memory is used up soon.
  const { invoke } = hostFunction(handler, { memoryMegabytes: 64, ...limits })

  expect(await invoke({ end: true })).toMatch(message)
  // On a busy machine a short timeout may end another instance too.
  await expect.poll(() => invoke()).toBe('fine')
})

test('an instance that ends while it is idle has its last lines in the log, and is not used again', async () => {
  const { invoke, lines } = hostFunction(`exports.handler = async (event) => {
    const end = () => { console.log('one\\ntwo'); console.error('gone'); process.exit() }
    if (event.end) setTimeout(end, 20)
    return 'fine'
  }`)

  await invoke({ end: true })

  await expect.poll(() => lines.toSorted()).toEqual(['[hosted] gone', '[hosted] one', '[hosted] two'])
  // An invocation that meets the instance while it ends gets an error, so the test tries again. If the host used an
  // instance that has ended, the invocation would hang.
  await expect.poll(() => invoke()).toBe('fine')
})

// A closed host still takes invocations, so that a request on its way gets its response. It starts an instance for it.
test('a host that is closed completes its invocations, then ends its instances', async () => {
  const { invoke, close } = hostFunction(`exports.handler = async (event) => {
    await new Promise((resolve) => setTimeout(resolve, event.wait))
    return require('node:worker_threads').threadId
  }`)
  const firstThread = await invoke({ wait: 0 })

  const running = invoke({ wait: 200 })
  void close()

  expect(await running).toBe(firstThread)
  expect(await invoke({ wait: 0 })).not.toBe(firstThread)
})
