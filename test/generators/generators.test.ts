/**
 * Clients that generators write from the contract, as the API reference publishes it. Each one is built. Those of
 * openapi-generator for Go, Java and Python also call the API, through a proxy that adds a field to each pet, because
 * later versions of the API may do so.
 */
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLocalEnvironment } from '../fixtures/environment/local-environment.ts'
import { startProxy } from '../fixtures/machine/proxy.ts'
import { shouldSkipWithout } from '../fixtures/machine/size.ts'
import { createTemporaryFolder } from '../fixtures/machine/temporary-folder.ts'

const canRun = (program: string, ...programArguments: readonly string[]): boolean =>
  spawnSync(program, programArguments, { stdio: 'ignore' }).status === 0

const isSkipped = shouldSkipWithout(
  canRun('javac', '-version') &&
    canRun('go', 'version') &&
    canRun('oapi-codegen', '-version') &&
    canRun('python3', '-c', 'import openapi_generator_cli, openapi_python_client'),
  'Generated clients are not tested: they need JDK 17, Go, oapi-codegen, and Python with openapi-generator-cli and ' +
    'openapi-python-client.',
)

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Programs that call the API with a generated client. */
const callers = new URL('callers/', import.meta.url)
const tsc = join(root, 'node_modules/typescript/bin/tsc')
const folder = createTemporaryFolder()

/** No proxy stands before the servers of this machine. Java compiles little, because its programs run briefly. */
const quietEnvironment = {
  NO_PROXY: '*',
  no_proxy: '*',
  JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC',
}

/** Runs a program in a folder of the generated code. @returns its output */
const run = (program: string, programArguments: readonly string[], inFolder = '.', variables = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    const env = { ...process.env, ...quietEnvironment, ...variables }
    const options = { cwd: join(folder, inFolder), env, timeout: 240_000 }
    execFile(program, programArguments, options, (error, output, errors) => {
      if (error === null) resolve(output)
      else reject(new Error(`${program} ${programArguments.join(' ')}:\n${output}${errors}`))
    })
  })

const write = (path: string, text: string): void => {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Copies a program that calls the API beside the client that it uses. */
const copyCaller = (name: string, path: string): void => cpSync(new URL(name, callers), join(folder, path))

/** Settings of openapi-generator by the folder of the client. The guide for callers names those that a client needs. */
const generatorSettings = {
  go: {
    generatorName: 'go',
    gitHost: 'example.org',
    gitUserId: 'shelter',
    gitRepoId: 'pets',
    additionalProperties: { packageName: 'pets' },
  },
  java: {
    generatorName: 'java',
    library: 'native',
    invokerPackage: 'org.example',
    apiPackage: 'org.example.api',
    modelPackage: 'org.example.model',
    additionalProperties: { useBeanValidation: true, openApiNullable: false },
  },
  python: { generatorName: 'python', additionalProperties: { packageName: 'pets' } },
  'typescript-fetch': { generatorName: 'typescript-fetch' },
}

/** Path of the archive of openapi-generator, which also has the packages that its client for Java needs. */
let jar = ''
/** Environment variables of the programs that call the API. */
let callerVariables = {}
let stop: (() => Promise<void>) | undefined

const generateAll = async (): Promise<void> => {
  const options = { inputSpec: 'openapi.json', globalProperties: { apiTests: 'false', modelTests: 'false' } }
  for (const [name, settings] of Object.entries(generatorSettings)) {
    write(`settings/${name}.json`, JSON.stringify({ ...options, ...settings, outputDir: name }))
  }
  const files = Object.keys(generatorSettings).map((name) => `settings/${name}.json`)
  const printJarPath =
    'import openapi_generator_cli as package; print(package.__path__[0], end="/openapi-generator.jar")'
  jar = await run('python3', ['-c', printJarPath])
  await run('java', ['-jar', jar, 'batch', '--fail-fast', ...files])
}

beforeAll(async () => {
  if (isSkipped) return
  await using resources = new AsyncDisposableStack()
  const local = await openLocalEnvironment()
  resources.defer(local.stop)
  const proxy = await startProxy(local.baseUrl, async (request, forward) => {
    const { status, headers, body } = await forward(request)
    const text = body.toString().replaceAll('{"id":', '{"breed":"unknown","id":')
    // Content-Length has the length of the body without the field, so it is renamed to a header that means nothing.
    const otherHeaders = headers.map((value) => (/^content-length$/i.test(value) ? 'X-Former-Length' : value))
    return { status, headers: otherHeaders, body: Buffer.from(text) }
  })
  resources.defer(() => proxy[Symbol.asyncDispose]())

  const { apiKey: usedUpKey } = await local.keys.issue({
    owner: 'the tests',
    plan: 'enterprise',
    limits: { perMinute: 100, perDay: 1 },
  })
  // The one request of the day.
  await fetch(`${local.baseUrl}/pets`, { headers: { Authorization: `Bearer ${usedUpKey}` } })
  callerVariables = {
    BASE_URL: `${proxy.endpoint}/v1`,
    API_KEY: local.apiKey,
    UNKNOWN_KEY: 'unknown',
    USED_UP_KEY: usedUpKey,
  }

  const contract = await fetch(`${local.referenceUrl}openapi.json`)
  write('openapi.json', await contract.text())
  await generateAll()

  const moved = resources.move()
  stop = () => moved.disposeAsync()
})
afterAll(() => stop?.())

/** Builds the client for Go with its caller, and runs it. The client needs no other module, so none is downloaded. */
const runGo = async (): Promise<string> => {
  copyCaller('main.go', 'go/caller/main.go')
  await run('go', ['build', '-o', 'main', './caller'], 'go', { GOPROXY: 'off' })
  return run(join(folder, 'go/main'), [], 'go', callerVariables)
}

const runJava = async (): Promise<string> => {
  copyCaller('Caller.java', 'java/Caller.java')
  copyCaller('Generated.java', 'java/Generated.java')
  const sourcePath = ['-sourcepath', 'src/main/java', 'Caller.java', 'Generated.java']
  await run('javac', ['-cp', jar, '-d', 'classes', ...sourcePath], 'java')
  return run('java', ['-cp', `classes:${jar}`, 'Caller'], 'java', callerVariables)
}

const runPython = (): Promise<string> => {
  copyCaller('caller.py', 'python/caller.py')
  return run('python3', ['caller.py'], 'python', callerVariables)
}

describe.skipIf(isSkipped).concurrent('a client of openapi-generator', () => {
  it.each([
    { language: 'Go', runCaller: runGo },
    { language: 'Java', runCaller: runJava },
    { language: 'Python', runCaller: runPython },
  ])(
    'a client of openapi-generator in $language creates, lists, and reads errors and headers',
    async ({ runCaller }) => {
      const report = JSON.parse(await runCaller())

      // Each program in callers/ prints these values of the responses that it gets.
      expect(report).toEqual({
        created: { name: ' Bella', categoryId: '9007199254740993', status: 'available' },
        replayed: 'true',
        listed: 2,
        // The requests per minute of the key of a local environment.
        limit: '1000000',
        // The pet of the demo data that the contract shows.
        example: 'Pippin Moonlight',
        refused: [400, 'invalid_cursor'],
        unauthorized: [401, 'unauthorized', 'Bearer'],
        // The 0 is the number of requests that remain.
        usedUp: [429, 'rate_limit_exceeded', '0'],
        retryAfter: expect.stringMatching(/^[1-9][0-9]*$/),
      })
    },
  )
})

describe.skipIf(isSkipped).concurrent('a creation without a status', () => {
  it('a creation without a status has the types of openapi-generator for TypeScript and of openapi-typescript', async () => {
    const script = join(root, 'node_modules/openapi-typescript/bin/cli.js')
    await run(process.execPath, [script, 'openapi.json', '-o', 'openapi-typescript/api.ts'])
    write(
      'typescript-fetch/program.ts',
      `import { PetsApi, type PetStatus } from './index'
      const pet = await new PetsApi().createPet({ petInput: { name: 'Bella', categoryId: 1 } })
      export const status: PetStatus = pet.status`,
    )
    write(
      'openapi-typescript/program.ts',
      `import type { components } from './api'
      export const pet: components['schemas']['PetInput'] = { name: 'Bella', categoryId: 1 }`,
    )

    const options = [
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
    ]
    await run(process.execPath, [tsc, ...options, 'typescript-fetch/program.ts', 'openapi-typescript/program.ts'])
  })

  it('a creation without a status has the types of oapi-codegen', async () => {
    mkdirSync(join(folder, 'oapi-codegen'))
    await run('go', ['mod', 'init', 'example.org/shelter'], 'oapi-codegen')
    await run('go', ['get', 'github.com/oapi-codegen/runtime@v1.9.0'], 'oapi-codegen')
    const options = ['-generate', 'types,client', '-package', 'main', '-o', 'oapi-codegen/pets.go']
    await run('oapi-codegen', [...options, 'openapi.json'])
    write(
      'oapi-codegen/main.go',
      `package main
      var pet = PetInput{Name: "Bella", CategoryId: 9007199254740993}
      func main() { NewCreatePetRequest("http://127.0.0.1/v1", nil, pet) }`,
    )

    await run('go', ['build', '-o', 'main', '.'], 'oapi-codegen')
  })

  it('a creation without a status has the types of openapi-python-client', async () => {
    const words = ['generate', '--path', 'openapi.json', '--output-path', 'openapi-python-client', '--meta', 'none']
    await run('python3', ['-m', 'openapi_python_client', ...words])

    await run('python3', [
      '-c',
      `from importlib import import_module
client = import_module("openapi-python-client.models")
assert client.PetInput(name="Bella", category_id=2**53 + 1).to_dict() == {"name": "Bella", "categoryId": 2**53 + 1}`,
    ])
  })
})
