/**
 * Each command that changes a key, while calls to DynamoDB fail or its process is killed: its output, its exit code and
 * the audit are true, and the same command run again does its work.
 */
import { PutCommand, paginateScan, ScanCommand } from '@aws-sdk/lib-dynamodb'
import fc from 'fast-check'
import { beforeEach, expect, it, vi } from 'vitest'
import { type AuditedChange, readChanges } from '../../../../../infra/commands/audit/read-changes.ts'
import type { Target } from '../../../../../infra/commands/changes/record.ts'
import { createKeysCommand } from '../../../../../infra/commands/keys/keys-command.ts'
import { hashApiKey } from '../../../../../shared/api-keys/api-key.ts'
import { nameKey, type StoredKey } from '../../../../../shared/api-keys/api-key-record.ts'
import { stringifyExactJson } from '../../../../../shared/exact-json.ts'
import { runCommandInProcess } from '../../../../fixtures/commands/commands.ts'
import { listForbidden, operatorPolicy } from '../../../../fixtures/commands/operator-policy.ts'
import { registerEnvironmentWithProxy } from '../../../../fixtures/commands/registered-environment.ts'
import { createClients } from '../../../../fixtures/database/clients.ts'
import type { Fault } from '../../../../fixtures/database/fault-proxy.ts'
import { startNode } from '../../../../fixtures/machine/node-process.ts'
import { chooseBySize } from '../../../../fixtures/machine/size.ts'

/** All keys by their targets in the audit, such as `key#key_0mhz`. */
type Keys = ReadonlyMap<string, StoredKey>

interface KeyCommand {
  readonly name: string
  readonly formatWords: (keyId: string) => readonly string[]
  /** Whether the command has done its work on the key with this id, or has issued a new key. */
  readonly isDone: (keys: Keys, keyId: string) => boolean
}

const findAttribute = (keys: Keys, keyId: unknown, name: string): unknown => keys.get(`key#${keyId}`)?.[name]

const keyCommands: readonly KeyCommand[] = [
  {
    name: 'keys issue',
    formatWords: () => ['issue', '--plan', 'pro', '--scope', 'read', '--owner', 'Umbrella'],
    isDone: (keys) => [...keys.values()].some(({ owner }) => owner === 'Umbrella'),
  },
  {
    name: 'keys rotate',
    formatWords: (keyId) => ['rotate', keyId],
    isDone: (keys, keyId) => keys.has(`key#${findAttribute(keys, keyId, 'successor')}`),
  },
  {
    name: 'keys set',
    formatWords: (keyId) => ['set', keyId, '--plan', 'pro', '--valid-until', '2999-12-31'],
    isDone: (keys, keyId) => findAttribute(keys, keyId, 'plan') === 'pro',
  },
  {
    name: 'keys unban',
    formatWords: (keyId) => ['unban', keyId],
    isDone: (keys, keyId) => findAttribute(keys, keyId, 'bannedUntil') === 0,
  },
  {
    name: 'keys revoke',
    formatWords: (keyId) => ['revoke', keyId],
    isDone: (keys, keyId) => findAttribute(keys, keyId, 'state') === 'revoked',
  },
  {
    name: 'keys revoke --all',
    formatWords: () => ['revoke', '--all', '--confirm', 'local'],
    isDone: (keys, keyId) => findAttribute(keys, keyId, 'state') === 'revoked',
  },
]

// Math.random chooses each wait before a call is repeated: 0 is the shortest one.
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
})

/** Opens an environment with a key that is banned. */
const openEnvironment = async () => {
  const environment = await registerEnvironmentWithProxy()
  const { proxy, tables, options } = environment
  const { client } = createClients(environment.engine)

  const run = (words: readonly string[]) => runCommandInProcess(createKeysCommand(), [...words, ...options])

  const readKeys = async (): Promise<Keys> => {
    const { Items = [] } = await client.send(new ScanCommand({ TableName: tables.apiKeys, ConsistentRead: true }))
    // The cast is safe because each item has the partition key of its table.
    return new Map((Items as StoredKey[]).map((key) => [`key#${nameKey(key)}`, key]))
  }

  await run(['issue', '--plan', 'free', '--scope', 'read-write', '--owner', 'Acme'])
  const [issued] = (await readKeys()).values()
  const bannedUntil = Math.floor(Date.now() / 1_000) + 3_600
  await client.send(new PutCommand({ TableName: tables.apiKeys, Item: { ...issued, bannedUntil } }))
  return {
    ...environment,
    run,
    keyId: String(issued?.['keyId']),
    readKeys,

    /** Reads all changes of the audit, with their outcomes. */
    readChanges: async (): Promise<readonly AuditedChange[]> => {
      const pages = await Array.fromAsync(paginateScan({ client }, { TableName: tables.audit, ConsistentRead: true }))
      // The cast is safe because only commands write to this table.
      const targets = new Set(pages.flatMap(({ Items = [] }) => Items.map(({ target }) => target as Target)))
      const sinceTheBeginning = '0'
      const readings = [...targets].map((target) =>
        Array.fromAsync(readChanges({ database: client, tables }, { target }, sinceTheBeginning)),
      )
      return (await Promise.all(readings)).flat(2)
    },

    /** Runs a command in a process that is killed at one of its calls, before DynamoDB gets that call or after. */
    runKilled: async (words: readonly string[], { call, isCallMade }: Kill): Promise<EndedCommand> => {
      const { child, ended, output, errors } = startNode(['infra/commands/run.ts', 'keys', ...words, ...options])
      let callCount = 0
      proxy.chooseFault = () => {
        callCount += 1
        if (callCount < call) return undefined
        child.kill('SIGKILL')
        return isCallMade && callCount === call ? undefined : 'request lost'
      }
      const exitCode = await ended
      return { output: output(), errors: errors(), exitCode }
    },
  }
}

interface Kill {
  /** Number of the call at which the process is killed, from 1 on. */
  readonly call: number
  readonly isCallMade: boolean
}

type OpenEnvironment = Awaited<ReturnType<typeof openEnvironment>>

/** The output and the exit code of a command. */
interface EndedCommand {
  readonly output: string
  readonly errors: string
  /** Exit code of the process; `null` if it was killed. */
  readonly exitCode: unknown
}

/** Runs a command, and expects that the audit, the exit code and the output say what has become of its changes. */
const expectTruth = async (
  environment: OpenEnvironment,
  { isDone }: KeyCommand,
  run: () => Promise<EndedCommand>,
): Promise<void> => {
  const before = await environment.readKeys()
  const earlierChanges = new Set((await environment.readChanges()).map(({ changeId }) => changeId))
  const ended = await run()
  environment.proxy.chooseFault = () => undefined
  const after = await environment.readKeys()
  const changes = (await environment.readChanges()).filter(({ changeId }) => !earlierChanges.has(changeId))

  const changedKeys = [...after.keys()].filter((target) => formatKey(before, target) !== formatKey(after, target))
  const made = changes.filter(({ outcome }) => outcome === 'made')
  expect(new Set(made.map(({ target }) => target)), 'the audit has as made what was made').toEqual(new Set(changedKeys))
  for (const { target, new: values } of made) {
    const stored = Object.keys(values ?? {}).map((name) => [name, after.get(target)?.[name] ?? null])
    expect(Object.fromEntries(stored), `${target} has the recorded values`).toEqual(values)
  }
  expectTrueEnd(ended, isDone(after, environment.keyId))
  expectTrueOutput(ended, before, after)
}

const formatKey = (keys: Keys, target: string): string => stringifyExactJson(keys.get(target) ?? null)

/** Expects that a command that succeeds has done its work. A killed command has no exit code. */
const expectTrueEnd = ({ exitCode, errors }: EndedCommand, isDone: boolean): void => {
  if (exitCode === 0) expect(isDone, 'a command that succeeds has done its work').toBe(true)
  else if (exitCode !== null) expect(exitCode, errors).toBe(1)
}

/** Expects that a key that is shown works, and that the command has named each new key before it stored the key. */
const expectTrueOutput = ({ output, errors }: EndedCommand, before: Keys, after: Keys): void => {
  const hashes = [...after.values()].map(({ keyHash }) => keyHash)
  for (const [apiKey] of output.matchAll(/pet_test_\w+/g)) {
    expect(hashes, 'a key that is shown was issued').toContain(hashApiKey(apiKey))
  }
  const newKeys = [...after.keys()].filter((target) => !before.has(target))
  for (const target of newKeys) expect(errors, 'a new key was announced').toContain(target.replace('key#', ''))
}

/** Expects that the same command does its work once nothing fails any more. */
const expectRepeatable = (environment: OpenEnvironment, command: KeyCommand): Promise<void> =>
  expectTruth(environment, command, async () => {
    const ended = await environment.run(command.formatWords(environment.keyId))
    expect(ended.exitCode, ended.errors).toBe(0)
    return ended
  })

/** Draws the fault of each call of a command, if it has one. After a lasting fault all calls have that fault. */
const drawFaults = (): fc.Arbitrary<() => Fault | undefined> => {
  const kinds = fc.constantFrom<Fault>('expired credentials', 'internal error', 'request lost', 'response lost')
  const incidents = fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    // Throttling never lasts, because the SDK would wait for half a minute.
    { weight: 1, arbitrary: fc.record({ fault: fc.constant<Fault>('throttled'), isLasting: fc.constant(false) }) },
    { weight: 2, arbitrary: fc.record({ fault: kinds, isLasting: fc.boolean() }) },
  )
  return fc.infiniteStream(incidents).map((stream) => {
    let lasting: Fault | undefined
    return () => {
      const incident = lasting === undefined ? stream.next().value : undefined
      if (incident?.isLasting === true) lasting = incident.fault
      return lasting ?? incident?.fault
    }
  })
}

/** Number of runs in which each command meets faults. */
const faultyRuns = chooseBySize(2, 4, 67)

it.each(keyCommands.map((command, index) => ({ name: command.name, command, index })))(
  '$name that meets faults prints the truth, and can be repeated',
  { timeout: 60_000 + faultyRuns * 20_000 },
  async ({ command, index }) => {
    const property = fc.asyncProperty(drawFaults(), async (chooseFault) => {
      const environment = await openEnvironment()
      const { proxy, tables, keyId } = environment
      await expectTruth(environment, command, () => {
        proxy.chooseFault = chooseFault
        return environment.run(command.formatWords(keyId))
      })
      await expectRepeatable(environment, command)
      expect(listForbidden(operatorPolicy, proxy.calls, tables), 'the policy allows all calls').toEqual([])
    })
    // The seed of the whole test run, plus the index: each command meets other faults.
    const seed = Number(process.env['PET_SEED']) + index
    await fc.assert(property, { numRuns: faultyRuns, seed, endOnFailure: true })
  },
)

/** Number of commands that are killed. */
const killCount = chooseBySize(2, 8, 100)

it('a command of keys that is killed leaves a true audit, and can be repeated', {
  timeout: 60_000 + killCount * 20_000,
}, async () => {
  const kills = fc.record({ call: fc.integer({ min: 1, max: 6 }), isCallMade: fc.boolean() })
  const property = fc.asyncProperty(fc.constantFrom(...keyCommands), kills, async (command, kill) => {
    const environment = await openEnvironment()
    const words = command.formatWords(environment.keyId)
    await expectTruth(environment, command, () => environment.runKilled(words, kill))
    await expectRepeatable(environment, command)
  })
  await fc.assert(property, { numRuns: killCount, endOnFailure: true })
})
