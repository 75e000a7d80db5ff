/**
 * The property of every command that changes keys: what it prints, its exit code and the audit are true after any
 * kill, lost response, refusal and full disk, and the same command run again does the work.
 *
 * @example The row of a command
 *
 *     const revoke: CommandRow = {
 *       name: 'keys revoke',
 *       prepare: async ({ keyId }) => ['revoke', keyId],
 *       isDone: ({ keyId }, { items }) => items.get(`key#${keyId}`)?.['state'] === 'revoked',
 *     }
 */
import type { ChildProcess } from 'node:child_process'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { AuditedChange } from '../../../../../infra/commands/audit/read-changes.ts'
import { createKeysCommand } from '../../../../../infra/commands/keys/keys-command.ts'
import { hashApiKey } from '../../../../../shared/api-keys/api-key.ts'
import { nameKey, type StoredKey } from '../../../../../shared/api-keys/api-key-record.ts'
import type { Attributes } from '../../../../../shared/dynamodb/conditional-write.ts'
import { stringifyExactJson } from '../../../../../shared/exact-json.ts'
import { listRecordDifferences, readAllChanges } from '../../../../fixtures/commands/audit.ts'
import { registerLocalEnvironment, runCommandInProcess } from '../../../../fixtures/commands/commands.ts'
import { listForbidden, operatorPolicy } from '../../../../fixtures/commands/operator-policy.ts'
import { createClients } from '../../../../fixtures/database/clients.ts'
import { type Fault, type FaultProxy, startFaultProxy } from '../../../../fixtures/database/fault-proxy.ts'

/** All keys by their targets in the audit. */
export interface FaultState {
  readonly items: ReadonlyMap<string, Attributes>
}

export interface CommandRow {
  /** The name of the command and of its subcommand. */
  readonly name: `keys ${string}`
  /** Brings a new world to what the command needs, before anything fails. @returns the words of the command */
  readonly prepare: (world: FaultWorld) => Promise<readonly string[]>
  /** Whether the command has done its work. */
  readonly isDone: (world: FaultWorld, state: FaultState) => boolean
}

/** The output and the exit code of a command. */
interface EndedCommand {
  readonly output: string
  readonly errors: string
  /** Exit code of the process; `null` if it was killed. */
  readonly exitCode: unknown
}

/** Chooses the fault of a call of a command by its number, from 1 on; undefined lets the call pass. */
export type ChooseFault = (call: number) => Fault | undefined

/** Draws the faults of all calls of a command: some calls fail alone, and from some on all calls fail. */
export const drawFaults = (): fc.Arbitrary<ChooseFault> => {
  const kinds = fc.constantFrom<Fault>(
    'expired credentials',
    'throttled',
    'internal error',
    'request lost',
    'response lost',
  )
  const incidents = fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: fc.record({ fault: kinds, isLasting: fc.constant(false) }) },
    // The SDK waits out half a minute of throttling.
    {
      weight: 1,
      arbitrary: fc.record({ fault: kinds.filter((fault) => fault !== 'throttled'), isLasting: fc.constant(true) }),
    },
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

/** Draws the call at which the process of a command is killed, and whether DynamoDB gets that call. */
export const drawKill = () =>
  fc.infiniteStream(
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.record({ isCallMade: fc.boolean() }) },
    ),
  )

type Kill = ReturnType<typeof drawKill> extends fc.Arbitrary<infer Stream> ? Stream : never

/** Opens an environment with a key of the plan free, whose database can fail. */
export const openFaultWorld = async () => {
  const proxies: FaultProxy[] = []
  const environment = await registerLocalEnvironment(async (endpoint) => {
    const started = await startFaultProxy(endpoint)
    proxies.push(started)
    return started
  })
  const [proxy] = proxies
  if (proxy === undefined) throw new Error('There is no proxy.')
  const { tables } = environment
  /** A client without faults. */
  const { client } = createClients(environment.engine)

  const words = ['issue', '--plan', 'free', '--scope', 'read-write', '--owner', 'Acme', '--json']
  const issued = await runCommandInProcess(createKeysCommand(), [...words, ...environment.options])
  expect(issued.exitCode, issued.errors).toBe(0)

  const readState = async (): Promise<FaultState> => {
    const { Items = [] } = await client.send(new ScanCommand({ TableName: tables.apiKeys, ConsistentRead: true }))
    // Each item has the partition key of its table.
    const keys = Items as StoredKey[]
    return { items: new Map(keys.map((key) => [`key#${nameKey(key)}`, key])) }
  }

  return {
    ...environment,
    client,
    keyId: String(JSON.parse(issued.output).keyId),
    readState,
    readAllChanges: () => readAllChanges({ database: client, tables }),

    /** Lets calls of the next command fail. @returns a function that counts the calls so far */
    failCalls: (chooseFault: ChooseFault): (() => number) => {
      let call = 0
      proxy.chooseFault = () => {
        call += 1
        return chooseFault(call)
      }
      return () => call
    },

    /** Kills the process of a command at one of its calls. */
    killAtCall: (process: ChildProcess, kill: Kill): void => {
      proxy.chooseFault = () => {
        const end = process.killed ? { isCallMade: false } : kill.next().value
        if (end === undefined) return undefined
        process.kill('SIGKILL')
        return end.isCallMade ? undefined : 'request lost'
      }
    },

    /** Calls of all commands so far. */
    calls: proxy.calls,

    endFaults: (): void => {
      proxy.chooseFault = () => undefined
    },

    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  }
}

export type FaultWorld = Awaited<ReturnType<typeof openFaultWorld>>

/** Runs a command, and expects that the audit, the exit code and the output say what has become of its changes. */
export const expectTruth = async (
  world: FaultWorld,
  row: CommandRow,
  run: () => Promise<EndedCommand>,
): Promise<void> => {
  const before = await world.readState()
  const earlierIds = new Set((await world.readAllChanges()).map(({ changeId }) => changeId))
  const earlierCallCount = world.calls.length
  const ended = await run()
  world.endFaults()
  const after = await world.readState()
  const changes = (await world.readAllChanges()).filter(({ changeId }) => !earlierIds.has(changeId))

  expectTrueAudit(before, after, changes)
  expectTrueEnd(ended, { isDone: row.isDone(world, after), isChanged: listChangedTargets(before, after).length > 0 })
  expectTrueKeys(ended, before, after)
  const callsOfCommand = world.calls.slice(earlierCallCount)
  expect(listForbidden(operatorPolicy, callsOfCommand, world.tables), 'the policy allows all calls').toEqual([])
}

const listChangedTargets = (before: FaultState, after: FaultState): readonly string[] => {
  const targets = new Set([...before.items.keys(), ...after.items.keys()])
  const format = (state: FaultState, target: string) => stringifyExactJson(state.items.get(target) ?? null)
  return [...targets].filter((target) => format(before, target) !== format(after, target)).toSorted()
}

const expectTrueAudit = (before: FaultState, after: FaultState, changes: readonly AuditedChange[]): void => {
  const madeTargets = changes.filter(({ outcome }) => outcome === 'made').map(({ target }) => target)
  expect([...new Set(madeTargets)].toSorted(), 'the audit has as made what was made').toEqual(
    listChangedTargets(before, after),
  )
  for (const { target, outcome, new: values } of changes) {
    if (outcome !== 'made' || values === null) continue
    expect(listRecordDifferences(after.items.get(target), values), `${target} has the recorded values`).toEqual([])
  }
}

const expectTrueEnd = (
  { exitCode, errors }: EndedCommand,
  { isDone, isChanged }: { readonly isDone: boolean; readonly isChanged: boolean },
): void => {
  if (exitCode === 0) expect(isDone, 'a command that succeeds has done its work').toBe(true)
  // A killed command says nothing more.
  if (exitCode === 0 || exitCode === null) return
  expect(exitCode, errors).toBe(1)
  const isInDoubt = errors.includes('is not known') || errors.includes('was issued, and nobody')
  if (isDone) expect(isInDoubt || isChanged, 'a command that fails has not done its work, or is in doubt').toBe(true)
}

/** Expects that a key that is shown works, and that the id of each new key was shown before. */
const expectTrueKeys = ({ output, errors }: EndedCommand, before: FaultState, after: FaultState): void => {
  const hashes = new Set([...after.items.values()].map((item) => item['keyHash']))
  for (const [apiKey] of output.matchAll(/pet_test_\w+/g)) {
    expect(hashes.has(hashApiKey(apiKey)), 'a key that is shown was issued').toBe(true)
  }
  const newKeys = [...after.items.keys()].filter((target) => target.startsWith('key#') && !before.items.has(target))
  for (const target of newKeys) expect(errors, 'a new key was announced').toContain(target.replace('key#', ''))
}
