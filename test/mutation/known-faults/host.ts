import type { KnownFault } from './known-fault.ts'

const functionHost = 'test/unit/infra/local/lambda/function-host.test.ts'
const gateway = 'test/unit/infra/local/gateway.test.ts'

/** Faults of the local environment that hosts the functions and the REST API. */
export const host: readonly KnownFault[] = [
  {
    title: 'one local instance gets two events at once',
    file: 'infra/local/lambda/function-host.ts',
    find: 'this.#busy.delete(instance)\n',
    replaceBy: 'this.#busy.delete(instance)\n    this.#idle.push(instance)\n',
    test: functionHost,
  },
  {
    title: 'an instance that has ended gets the next request',
    file: 'infra/local/lambda/function-host.ts',
    find: 'while (instance !== undefined && !instance.isAlive) instance = this.#idle.pop()',
    replaceBy: '',
    test: functionHost,
  },
  {
    title: 'a function sees the variables of the shell that started the environment',
    file: 'infra/local/lambda/function-instance.ts',
    find: '...createRuntimeVariables(lambda, databaseEndpoint),',
    replaceBy: '...process.env,\n        ...createRuntimeVariables(lambda, databaseEndpoint),',
    test: functionHost,
  },
  {
    title: 'a caller is not told that a function has exceeded its timeout',
    file: 'infra/local/lambda/function-instance.ts',
    find: 'this.#fail({ message: `Task timed out after ${(milliseconds / 1_000).toFixed(2)} seconds` })',
    replaceBy: '',
    test: functionHost,
  },
  {
    title: 'a function reads the AWS profile of the user',
    file: 'infra/local/lambda/function-instance.ts',
    find: 'AWS_CONFIG_FILE: devNull,',
    replaceBy: '',
    test: functionHost,
  },
  {
    title: 'the local gateway passes on a body that API Gateway refuses',
    file: 'infra/local/gateway/server.ts',
    find: 'return length <= longestBodyBytes ? Buffer',
    replaceBy: 'return length <= 100 * longestBodyBytes ? Buffer',
    test: gateway,
  },
  {
    title: 'the local gateway admits what its authorizer denies',
    file: 'infra/local/gateway/gateway.ts',
    find: "matching.every(({ Effect }) => Effect === 'Allow')",
    replaceBy: "matching.some(({ Effect }) => Effect !== 'Audit')",
    test: gateway,
  },
  {
    title: 'the local gateway serves a method that API Gateway does not',
    file: 'infra/local/gateway/gateway.ts',
    find: "httpMethod === 'ANY' || httpMethod === received.httpMethod",
    replaceBy: "httpMethod !== '' && received.httpMethod !== ''",
    test: gateway,
  },
  {
    title: 'a caller of the local gateway may choose its own address',
    file: 'infra/local/gateway/request.ts',
    find: "'x-forwarded-for': [request.sourceIp],",
    replaceBy: '',
    test: gateway,
  },
  {
    title: 'the local gateway passes headers that API Gateway renames',
    file: 'infra/local/gateway/gateway.ts',
    find: "'date',\n",
    replaceBy: '',
    test: gateway,
  },
  {
    title: 'two local environments share a data folder',
    file: 'infra/local/database/dynalite-thread.ts',
    find: '  lockFolder(folder)\n',
    replaceBy: '',
    test: 'test/unit/infra/local/database.test.ts',
  },
  {
    title: 'npm start writes into a folder that holds something else',
    file: 'infra/local/data-folder.ts',
    find: 'if (isEmpty) return',
    replaceBy: 'if (isEmpty || path !== "") return',
    test: 'test/unit/infra/local/data-folder.test.ts',
  },
  {
    title: 'a watch does not apply the change that follows a broken one',
    file: 'infra/local/watch.ts',
    find: 'writeLine(`[watch] ${outcome}`)\n    isApplying = false',
    replaceBy: 'writeLine(`[watch] ${outcome}`)\n    isApplying = outcome.includes("still in use")',
    test: 'test/unit/infra/local/watch.test.ts',
  },
  {
    title: 'a source file that an editor locks ends a watch',
    file: 'infra/local/synthesis/synthesize.ts',
    find: "  } catch {\n    return ''\n",
    replaceBy: "  } catch (error) {\n    if (!String(error).includes('ENOENT')) throw error\n    return ''\n",
    test: 'test/unit/infra/local/synthesis/synthesize.test.ts',
  },
  {
    title: 'a table that a watch has renamed has no demo keys',
    file: 'infra/local/environment.ts',
    find: 'if (!isDeepStrictEqual(next.names, previous.names)) await addDemoData(next.names, client)',
    replaceBy: '',
    test: 'test/unit/infra/local/start.test.ts',
  },
]
