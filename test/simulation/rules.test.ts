import { readdirSync, readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { GatewayKey } from '../../functions/gateway-keys/api-gateway.ts'
import { hashApiKey } from '../../shared/api-keys/api-key.ts'
import type { ApiKeyRecord, GatewayKeyValue, StoredKey } from '../../shared/api-keys/api-key-record.ts'
import type { Attributes } from '../../shared/dynamodb/conditional-write.ts'
import { lastChange } from '../../shared/pets/pet-table.ts'
import { createApiKeyRecord, createStoredKey } from '../fixtures/api-key-record.ts'
import { noon } from '../fixtures/clock.ts'
import type { ApiResponse } from './api-response.ts'
import { AuditLines } from './audit-lines.ts'
import { type Callers, type Credential, startFollower, startSite } from './callers.ts'
import { runningProcess } from './database.ts'
import { Faults } from './faults.ts'
import { FollowerRules } from './follower-rules.ts'
import { compareGatewayKeys } from './gateway-key-rules.ts'
import { History } from './history.ts'
import { invariants } from './invariants.ts'
import { KeyAuditRules } from './key-audit-rules.ts'
import { LimitRules } from './limit-rules.ts'
import { ListRules } from './list-rules.ts'
import { Metering } from './metering.ts'
import { PetAuditRules } from './pet-audit-rules.ts'
import { PetRules } from './pet-rules.ts'
import { Random } from './random.ts'
import { ResponseRules } from './response-rules.ts'
import { VirtualTime } from './virtual-time.ts'

let time: VirtualTime
let history: History
beforeEach(() => {
  time = new VirtualTime(noon)
  history = new History(time)
})

/** Lets virtual time pass until some work has ended. */
const runToEnd = async <Result>(work: Promise<Result>): Promise<Result> => {
  let hasEnded = false
  const end = work.finally(() => {
    hasEnded = true
  })
  while (!hasEnded) {
    await time.runUntil(() => hasEnded)
    await setImmediate()
  }
  return end
}

const letPass = (milliseconds: number): Promise<void> => runToEnd(time.pause(milliseconds))

const listBroken = (): readonly string[] => history.violations.map(({ invariant }) => invariant)

describe('the README', () => {
  it('lists the invariants', () => {
    const text = readFileSync(new URL('README.md', import.meta.url), 'utf8')
    const [, chapter = ''] = text.split('## The invariants')
    // An explanation may follow after a colon.
    const listed = [...chapter.matchAll(/^- ([^:\n]+)/gm)].map(([, name]) => name)

    expect(listed).toEqual(invariants)
  })
})

describe('each invariant', () => {
  it('has tests of its own', () => {
    const files = readdirSync(new URL('.', import.meta.url)).filter((file) => file.endsWith('-rules.test.ts'))
    const texts = [...files, 'rules.test.ts'].map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'))
    const tested = texts.flatMap((text) => [...text.matchAll(/^describe\('([^']+)'/gm)].map(([, name]) => name))

    expect(tested).toEqual(expect.arrayContaining([...invariants]))
  })
})

/** Creates a response of the service. `RateLimit` tells the requests that remain. */
const createResponse = (
  status: number,
  remaining: number,
  more: Readonly<Record<string, string>> = {},
): ApiResponse => ({
  status,
  headers: Object.entries({ RateLimit: `"minute";r=${remaining};t=44, "day";r=900;t=43190`, ...more }),
  body: status < 400 ? '{}' : JSON.stringify({ code: 'rate_limit_exceeded', message: 'Used up.', status }),
})

/** A response of the edge itself, which has no limit headers. */
const createEdgeResponse = (status: number): ApiResponse => ({
  status,
  headers: [],
  body: JSON.stringify({ code: 'rate_limit_exceeded', message: 'Throttled.', status }),
})

const apiKey = 'pet_test_key'

/** Creates the rules of a caller that sends one request after the other. */
const createLimitRules = (perMinute = 60, perDay = 1_000): LimitRules => {
  const rules = new LimitRules(time, history)
  rules.addKey(apiKey, 'the caller', { perMinute, perDay }, true)
  return rules
}

/** Sends a request, whose response comes 50 ms later. */
const send = async (rules: LimitRules, response: ApiResponse): Promise<void> => {
  const attempt = rules.begin(apiKey)
  await letPass(50)
  rules.end(attempt, response)
}

/** Sends a request whose response is lost. */
const sendAndLose = async (rules: LimitRules, response: ApiResponse): Promise<void> => {
  const attempt = rules.begin(apiKey)
  await letPass(50)
  rules.lose(attempt, response)
}

describe('no window is over its limit', () => {
  const invariant = 'no window is over its limit'
  const admitted = createResponse(200, 0)

  it('is broken by a request too many in a minute', async () => {
    const rules = createLimitRules(1)
    await send(rules, admitted)
    await send(rules, admitted)

    expect(listBroken()).toEqual([invariant])
  })

  it('is broken by a request too many in a minute, although its response is lost', async () => {
    const rules = createLimitRules(1)
    await sendAndLose(rules, admitted)
    await sendAndLose(rules, admitted)

    expect(listBroken()).toEqual([invariant])
  })

  it('is broken by a request too many in a day', async () => {
    const rules = createLimitRules(60, 1)
    await send(rules, admitted)
    await letPass(3_600_000)
    await send(rules, admitted)

    expect(listBroken()).toEqual([invariant])
  })

  it('is broken after a move to smaller limits', async () => {
    const rules = createLimitRules(60, 60)
    rules.expectAllowance(apiKey, { perMinute: 1, perDay: 60 })()
    await letPass(180_000)
    await send(rules, admitted)
    await send(rules, admitted)

    expect(listBroken()).toEqual([invariant])
  })

  it('holds if the windows are used up', async () => {
    const rules = createLimitRules(1, 2)
    await send(rules, admitted)
    await letPass(60_000)
    await send(rules, admitted)
    await send(rules, createResponse(429, 0, { 'Retry-After': '44' }))
    await letPass(86_400_000)
    await send(rules, admitted)

    expect(listBroken()).toEqual([])
  })

  it('holds for a request that begins at the end of a minute', async () => {
    const rules = createLimitRules(1)
    await send(rules, admitted)
    await letPass(49_900)
    await send(rules, admitted)

    expect(listBroken()).toEqual([])
  })

  it('holds for the earlier limits if a move may not have happened', async () => {
    const rules = createLimitRules(2)
    rules.expectAllowance(apiKey, { perMinute: 1, perDay: 1_000 })
    await letPass(180_000)
    await send(rules, admitted)
    await send(rules, admitted)

    expect(listBroken()).toEqual([])
  })

  it('holds for the limits of a move that ran at once with another', async () => {
    const rules = createLimitRules(1)
    const confirmFirst = rules.expectAllowance(apiKey, { perMinute: 2, perDay: 1_000 })
    const confirmSecond = rules.expectAllowance(apiKey, { perMinute: 1, perDay: 1_000 })
    await letPass(10)
    confirmFirst()
    confirmSecond()
    await letPass(180_000)
    await send(rules, admitted)
    await send(rules, admitted)

    expect(listBroken()).toEqual([])
  })
})

describe('no request is refused that the last headers allowed', () => {
  const invariant = 'no request is refused that the last headers allowed'
  const refused = createResponse(429, 0, { 'Retry-After': '44' })

  it('is broken by a refusal of the last request that remained', async () => {
    const rules = createLimitRules()
    await send(rules, createResponse(200, 1))
    await send(rules, refused)

    expect(listBroken()).toEqual([invariant])
  })

  it('is broken also after a response was lost', async () => {
    const rules = createLimitRules()
    await send(rules, createResponse(200, 2))
    await sendAndLose(rules, createResponse(200, 1))
    await send(rules, refused)

    expect(listBroken()).toEqual([invariant])
  })

  it('holds if no request remained', async () => {
    const rules = createLimitRules()
    await send(rules, createResponse(200, 0))
    await send(rules, refused)

    expect(listBroken()).toEqual([])
  })

  it('holds if a request whose response was lost took the last one', async () => {
    const rules = createLimitRules()
    await send(rules, createResponse(200, 1))
    await sendAndLose(rules, createResponse(200, 0))
    await send(rules, refused)

    expect(listBroken()).toEqual([])
  })

  it('holds if a request of which API Gateway lost sight may have taken the last one', async () => {
    const rules = createLimitRules()
    await sendAndLose(rules, createEdgeResponse(504))
    await send(rules, createResponse(200, 1))
    await send(rules, refused)

    expect(listBroken()).toEqual([])
  })

  it('holds if another request is under way', async () => {
    const rules = createLimitRules()
    await send(rules, createResponse(200, 2))
    rules.begin(apiKey)
    await send(rules, refused)

    expect(listBroken()).toEqual([])
  })

  it('holds if an operator changes the key', async () => {
    const rules = createLimitRules()
    await send(rules, createResponse(200, 1))
    rules.expectChange(apiKey)
    await send(rules, refused)

    expect(listBroken()).toEqual([])
  })
})

describe('who waits as long as Retry-After says is admitted', () => {
  const refused = createResponse(429, 0, { 'Retry-After': '10' })

  it('is broken by a second refusal after the wait', async () => {
    const rules = createLimitRules()
    await send(rules, refused)
    await letPass(10_000)
    await send(rules, refused)

    expect(listBroken()).toEqual(['who waits as long as Retry-After says is admitted'])
  })

  it('holds for a second refusal during the wait', async () => {
    const rules = createLimitRules()
    await send(rules, refused)
    await letPass(9_999)
    await send(rules, refused)

    expect(listBroken()).toEqual([])
  })
})

describe('no key works after its end', () => {
  const invariant = 'no key works after its end'
  /** Clocks of instances may be behind for so long. */
  const margin = 600

  /** Sends a request some time after the end of its key. @returns the broken invariants */
  const sendAfterEnd = async (milliseconds: number, response: ApiResponse): Promise<readonly string[]> => {
    const rules = createLimitRules()
    rules.endKey(apiKey, time.now)
    await letPass(milliseconds)
    await send(rules, response)
    return listBroken()
  }

  const banned: ApiResponse = {
    ...createResponse(429, 0, { 'Retry-After': '44' }),
    body: JSON.stringify({ code: 'api_key_banned', message: 'Banned.', status: 429 }),
  }

  it('is broken by a success', async () => {
    expect(await sendAfterEnd(margin + 1, createResponse(200, 5))).toEqual([invariant])
  })

  it('is broken by an error of the operation', async () => {
    expect(await sendAfterEnd(margin + 1, createResponse(404, 5))).toEqual([invariant])
  })

  it('is broken by a refusal for a limit', async () => {
    expect(await sendAfterEnd(margin + 1, createResponse(429, 0, { 'Retry-After': '44' }))).toEqual([invariant])
  })

  it('is broken by a success whose response is lost', async () => {
    const rules = createLimitRules()
    rules.endKey(apiKey, time.now)
    await letPass(margin + 1)
    await sendAndLose(rules, createResponse(200, 5))

    expect(listBroken()).toEqual([invariant])
  })

  it('is broken by a ban that an instance remembers for too long', async () => {
    expect(await sendAfterEnd(margin + 2_001, banned)).toEqual([invariant])
  })

  it('holds for a ban that an instance remembers', async () => {
    expect(await sendAfterEnd(margin + 2_000, banned)).toEqual([])
  })

  it('holds for a request that began before the end', async () => {
    expect(await sendAfterEnd(margin, createResponse(200, 5))).toEqual([])
  })

  it('holds for the response 401', async () => {
    expect(await sendAfterEnd(margin + 1, createEdgeResponse(401))).toEqual([])
  })

  it('holds for an error of the service', async () => {
    expect(await sendAfterEnd(margin + 1, createEdgeResponse(503))).toEqual([])
  })

  it('holds for a refusal by the throttle of the method', async () => {
    expect(await sendAfterEnd(margin + 1, createEdgeResponse(429))).toEqual([])
  })
})

const ownValue = 'OwnGatewayKey' as GatewayKeyValue

/** Creates an item of the table of keys. The cast brands a value as only the service creates them. */
const createItem = (change: Partial<ApiKeyRecord> = {}): StoredKey =>
  createStoredKey({ keyHash: hashApiKey(apiKey), record: createApiKeyRecord({ gatewayKey: ownValue, ...change }) })

describe('no request is billed to another key', () => {
  const createMetering = (): Metering => new Metering(history, { list: async () => [createItem()] })

  it('is broken by a request that is metered on the gateway key of another', async () => {
    await createMetering().onAuthorized('pet_test_another', ownValue)

    expect(listBroken()).toEqual(['no request is billed to another key'])
  })

  it('holds for a request that is metered on its own gateway key', async () => {
    await createMetering().onAuthorized(apiKey, ownValue)

    expect(listBroken()).toEqual([])
  })

  it('holds for a request that is metered on the reserved key', async () => {
    await createMetering().onAuthorized('pet_test_another', 'reserved')

    expect(listBroken()).toEqual([])
  })
})

describe('API Gateway refuses no request that the table has admitted', () => {
  it('is broken by a refusal', () => {
    new Metering(history, { list: async () => [] }).onRefused(apiKey, 'THROTTLED')

    expect(listBroken()).toEqual(['API Gateway refuses no request that the table has admitted'])
  })
})

describe('every response is one of the contract', () => {
  const invariant = 'every response is one of the contract'
  const request = { httpMethod: 'GET', rawPath: '/v1/pets' }

  const headers = {
    'Access-Control-Allow-Origin': '*',
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '41',
    'X-RateLimit-Reset': '1793620860',
    'RateLimit-Policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
  }

  /** Creates the response with an empty list. */
  const createList = (more: Readonly<Record<string, string>>): ApiResponse => ({
    ...createResponse(200, 41, { 'content-type': 'application/json', ...more }),
    body: '[]',
  })

  const check = (response: ApiResponse, isReleased = true): readonly string[] => {
    new ResponseRules(history, () => isReleased).check(request, response)
    return listBroken()
  }

  it('is broken by a status that the operation does not have', () => {
    expect(check({ ...createList(headers), status: 201 })).toEqual([invariant])
  })

  it('is broken by a header that is missing', () => {
    expect(check(createList({}))).toEqual([invariant])
  })

  it('is broken by a field that the contract does not have', () => {
    expect(
      check({ ...createList(headers), body: '[{"id":1,"name":"Bello","categoryId":2,"status":"available","age":3}]' }),
    ).toEqual([invariant])
  })

  it('is broken by a code with another status, also during the release', () => {
    const body = JSON.stringify({ code: 'api_key_banned', message: 'Banned.', status: 400 })

    expect(check({ ...createList(headers), status: 400, body }, false)).toEqual([invariant])
  })

  it('holds for a response of the contract', () => {
    expect(check(createList(headers))).toEqual([])
  })

  it('holds during the release for a header that is missing', () => {
    expect(check(createList({}), false)).toEqual([])
  })
})

/** Creates the rules of animals. @param stored the items of the table, to which tests may add others */
const createPetRules = (stored: Attributes[] = []): PetRules => {
  const readTable = async (command: { readonly input: { readonly Key?: Attributes } }) =>
    command instanceof ScanCommand
      ? { Items: stored }
      : { Item: stored.find(({ id }) => id === command.input.Key?.['id']) }
  // The rules only get single items and scan the table.
  const client = { send: readTable } as unknown as DynamoDBDocumentClient
  return new PetRules(history, new FollowerRules(time, history), { observe: () => client }, 'pets')
}

describe('a creation has one id', () => {
  const stored = [
    { id: 1, name: 'Bello' },
    { id: 2, name: 'Bello' },
  ]

  it('is broken by a second id', async () => {
    const acknowledge = createPetRules(stored).begin('Bello')
    await acknowledge(1)
    await acknowledge(2)

    expect(listBroken()).toEqual(['a creation has one id'])
  })

  it('holds for the same id twice', async () => {
    const acknowledge = createPetRules(stored).begin('Bello')
    await acknowledge(1)
    await acknowledge(1)

    expect(listBroken()).toEqual([])
  })
})

describe('a creation adds one animal', () => {
  it('is broken by two animals', async () => {
    const rules = createPetRules([
      { id: 1, name: 'Bello' },
      { id: 2, name: 'Bello' },
    ])
    rules.begin('Bello')
    await rules.checkAtEnd()

    expect(listBroken()).toEqual(['a creation adds one animal'])
  })

  it('holds for an animal of each creation', async () => {
    const rules = createPetRules([
      { id: 1, name: 'Bello' },
      { id: 2, name: 'Rex' },
    ])
    rules.begin('Bello')
    rules.begin('Rex')
    await rules.checkAtEnd()

    expect(listBroken()).toEqual([])
  })
})

describe('an acknowledged animal is there', () => {
  const invariant = 'an acknowledged animal is there'

  it('is broken by an animal that is not stored', async () => {
    await createPetRules().begin('Bello')(1)

    expect(listBroken()).toEqual([invariant])
  })

  it('is broken by another animal under the id', async () => {
    await createPetRules([{ id: 1, name: 'Rex' }]).begin('Bello')(1)

    expect(listBroken()).toEqual([invariant])
  })

  it('is broken by an animal that disappears', async () => {
    const stored = [{ id: 1, name: 'Bello' }]
    const rules = createPetRules(stored)
    await rules.begin('Bello')(1)
    stored.pop()
    await rules.checkAtEnd()

    expect(listBroken()).toEqual([invariant])
  })

  it('holds for an animal that an operator has tried to remove', async () => {
    const stored = [{ id: 1, name: 'Bello' }]
    const rules = createPetRules(stored)
    await rules.begin('Bello')(1)
    rules.expectRemoval(1)
    stored.pop()
    await rules.checkAtEnd()

    expect(listBroken()).toEqual([])
  })
})

describe('a removed animal is gone', () => {
  it('is broken by an animal that was removed', async () => {
    const rules = createPetRules([{ id: 1, name: 'Bello' }])
    rules.expectRemoval(1)
    rules.confirmRemoval(1)
    await rules.checkAtEnd()

    expect(listBroken()).toEqual(['a removed animal is gone'])
  })

  it('holds for an animal whose removal was not confirmed', async () => {
    const rules = createPetRules([{ id: 1, name: 'Bello' }])
    rules.expectRemoval(1)
    await rules.checkAtEnd()

    expect(listBroken()).toEqual([])
  })
})

describe('a follower gets each animal once', () => {
  it('is broken by an animal that comes twice', () => {
    const see = new FollowerRules(time, history).addFollower('the follower')
    see(1)
    see(1)

    expect(listBroken()).toEqual(['a follower gets each animal once'])
  })

  it('holds for an animal that two followers get', () => {
    const rules = new FollowerRules(time, history)
    rules.addFollower('the follower')(1)
    rules.addFollower('another follower')(1)

    expect(listBroken()).toEqual([])
  })
})

describe('a list repeats no animal', () => {
  it('is broken by an id that comes twice', () => {
    new ListRules(time, history).checkPage([3, 2, 3])

    expect(listBroken()).toEqual(['a list repeats no animal'])
  })

  it('holds for different ids', () => {
    new ListRules(time, history).checkPage([3, 2, 1])

    expect(listBroken()).toEqual([])
  })
})

describe('a list has each animal that did not just change', () => {
  const invariant = 'a list has each animal that did not just change'
  /** The index is behind for less than this. */
  const margin = 6_000

  /** Checks a list that began some time after an animal was stored or removed. */
  const checkListAfter = async (milliseconds: number, isVoid: boolean, ids: readonly number[]) => {
    const rules = new ListRules(time, history)
    rules.recordVersion(1, isVoid)
    await letPass(milliseconds)
    rules.checkList(ids, time.now)
    return listBroken()
  }

  it('is broken by an animal that is missing', async () => {
    expect(await checkListAfter(margin + 1, false, [])).toEqual([invariant])
  })

  it('is broken by an animal that was removed', async () => {
    expect(await checkListAfter(margin + 1, true, [1])).toEqual([invariant])
  })

  it('holds for an animal that was just stored', async () => {
    expect(await checkListAfter(margin, false, [])).toEqual([])
  })

  it('holds for an animal that was just removed', async () => {
    expect(await checkListAfter(margin, true, [1])).toEqual([])
  })
})

const available: Attributes = { id: 1n, name: 'Bello', categoryId: 2n, status: 'available' }
const adopted: Attributes = { ...available, status: 'adopted' }

/** A command that changes an animal from available to adopted, but for the parts that a test changes. */
interface PetCommand {
  /** The values before the change, as the audit has them. */
  readonly recordedOld?: Attributes
  /** The item that the command writes. @default adopted */
  readonly written?: Attributes | 'nothing'
  /** Whether the command says that it has changed nothing. */
  readonly fails?: boolean
  /** The edited fields with their new values, if the command is an import. */
  readonly edits?: Attributes
}

/** Runs a command, and checks its audit at the end. @returns the broken invariants */
const checkPetCommand = async (command: PetCommand): Promise<readonly string[]> => {
  const { recordedOld = available, written = adopted, fails = false, edits } = command
  const audit = new AuditLines(time)
  const rules = new PetAuditRules(history, audit)
  rules.recordVersion('1', available)
  const opened = audit.open(runningProcess)
  if (edits !== undefined) rules.expectEdits(opened.who, new Map([['1', edits]]))

  const change = { action: 'pets set', ids: ['1'], old: recordedOld, new: adopted }
  const make = async (recorded: object): Promise<void> => {
    if (written !== 'nothing') rules.recordVersion('1', { ...written, [lastChange]: recorded })
    if (fails) throw new Error('The animal was not changed.')
  }
  await runToEnd(opened.audit.recordThenMakeAll([{ change, make }]))
  rules.checkAtEnd()
  return listBroken()
}

describe('an import changes only what was edited', () => {
  it('is broken by a change of a field that was not edited', async () => {
    expect(await checkPetCommand({ edits: { name: 'Bella' } })).toEqual(['an import changes only what was edited'])
  })

  it('holds for a change of an edited field', async () => {
    expect(await checkPetCommand({ edits: { status: 'adopted' } })).toEqual([])
  })
})

const ownerBefore = { keyId: 'key_1', owner: 'Acme' }
const ownerAfter = { keyId: 'key_1', owner: 'Umbrella' }

/** A command that changes the owner of a key, but for the parts that a test changes. */
interface KeyCommand {
  /** The values before the change, as the audit has them. */
  readonly recordedOld?: Attributes
  /** The number of writes. @default 1 */
  readonly writes?: number
  /** Whether the command says that it has changed nothing. */
  readonly fails?: boolean
}

/** Runs a command on a key, and checks its audit at the end. @returns the broken invariants */
const checkKeyCommand = async (command: KeyCommand): Promise<readonly string[]> => {
  const { recordedOld = { owner: 'Acme' }, writes = 1, fails = false } = command
  const audit = new AuditLines(time)
  const rules = new KeyAuditRules(history, audit)
  const opened = audit.open(runningProcess)
  const change = { action: 'keys edit', ids: ['key_1'], old: recordedOld, new: { owner: 'Umbrella' } }
  const make = async (): Promise<void> => {
    for (let write = 0; write < writes; write += 1) {
      rules.check(opened.who, { before: ownerBefore, after: ownerAfter })
    }
    if (fails) throw new Error('The key was not changed.')
  }
  await runToEnd(opened.audit.recordThenMakeAll([{ change, make }]))
  rules.checkAtEnd()
  return listBroken()
}

describe('the audit has each change once, with what it replaced', () => {
  const invariant = 'the audit has each change once, with what it replaced'

  it('is broken by other values of an animal', async () => {
    expect(await checkPetCommand({ recordedOld: { ...available, name: 'Rex' } })).toEqual([invariant])
  })

  it('is broken by a write of an animal that has no line', () => {
    const rules = new PetAuditRules(history, new AuditLines(time))
    rules.recordVersion('1', { ...adopted, [lastChange]: { who: 'command 1', time: '', action: 'pets set' } })
    rules.checkAtEnd()

    expect(listBroken()).toEqual([invariant])
  })

  it('is broken by other values of a key', async () => {
    expect(await checkKeyCommand({ recordedOld: { owner: 'Stark' } })).toEqual([invariant])
  })

  it('is broken by a change of a key that was made twice', async () => {
    expect(await checkKeyCommand({ writes: 2 })).toEqual([invariant])
  })

  it('is broken by a write of a key that has no line', () => {
    new KeyAuditRules(history, new AuditLines(time)).check('command 1', { before: ownerBefore, after: ownerAfter })

    expect(listBroken()).toEqual([invariant])
  })

  it('holds for a change of an animal with its values', async () => {
    expect(await checkPetCommand({})).toEqual([])
  })

  it('holds for a change of a key with its values', async () => {
    expect(await checkKeyCommand({})).toEqual([])
  })
})

describe('no change that happened is failed in the audit', () => {
  const invariant = 'no change that happened is failed in the audit'

  it('is broken by a change of an animal', async () => {
    expect(await checkPetCommand({ fails: true })).toEqual([invariant])
  })

  it('is broken by a change of a key', async () => {
    expect(await checkKeyCommand({ fails: true })).toEqual([invariant])
  })

  it('holds for a command on an animal that has failed', async () => {
    expect(await checkPetCommand({ written: 'nothing', fails: true })).toEqual([])
  })

  it('holds for a command on a key that has failed', async () => {
    expect(await checkKeyCommand({ writes: 0, fails: true })).toEqual([])
  })
})

describe('no change is done in the audit that did not happen', () => {
  const invariant = 'no change is done in the audit that did not happen'

  it('is broken by a command on an animal that has written nothing', async () => {
    expect(await checkPetCommand({ written: 'nothing' })).toEqual([invariant])
  })

  it('is broken by a command on a key that has written nothing', async () => {
    expect(await checkKeyCommand({ writes: 0 })).toEqual([invariant])
  })
})

/** Calls of a site that get an error, which its client does not repeat. */
interface FailingCall {
  /** The faults that each call meets. */
  readonly faultCount: number
  readonly mustSucceed?: boolean
  readonly status?: number
  readonly isRevoked?: boolean
}

const createFaults = (): Faults =>
  new Faults({ random: new Random(1), enabled: new Set(), isActive: () => true, onFault: () => {} })

/** Creates callers that stop after half a minute. */
const createCallers = (faults: Faults, mustSucceed: boolean): Callers => ({
  time,
  random: new Random(1),
  faults,
  history,
  petRules: createPetRules(),
  followerRules: new FollowerRules(time, history),
  listRules: new ListRules(time, history),
  rest: (milliseconds) => time.pause(milliseconds),
  mustSucceed: () => mustSucceed,
  isClosing: () => time.now >= noon + 30_000,
  isOver: () => time.now >= noon + 30_000,
})

const createCredential = (): Credential => ({
  apiKey,
  name: 'the caller',
  isRevoked: false,
  isInDoubt: false,
  endsUnderWay: 0,
})

/** Lets a site make calls, which fail. @returns the broken invariants */
const checkFailingCall = async (call: FailingCall): Promise<readonly string[]> => {
  const { faultCount, mustSucceed = false, status = 404, isRevoked = false } = call
  const faults = createFaults()
  const credential = createCredential()
  const respond = async (): Promise<Response> => {
    for (let fault = 0; fault < faultCount; fault += 1) faults.countThrottledRequest()
    credential.isRevoked = isRevoked
    return Response.json({ code: 'an_error', message: 'An error.', status }, { status })
  }
  vi.stubGlobal('fetch', vi.fn(respond))
  await runToEnd(startSite(createCallers(faults, mustSucceed), credential, 1))
  return listBroken()
}

describe('a few faults make no client fail', () => {
  it('is broken by a client that fails after three faults', async () => {
    expect(await checkFailingCall({ faultCount: 3 })).toEqual(['a few faults make no client fail'])
  })

  it('is broken by a key that does not work', async () => {
    expect(await checkFailingCall({ faultCount: 0, status: 401 })).toEqual(['a few faults make no client fail'])
  })

  it('holds for a client that fails after four faults', async () => {
    expect(await checkFailingCall({ faultCount: 4 })).toEqual([])
  })

  it('holds for a key that was revoked', async () => {
    expect(await checkFailingCall({ faultCount: 0, status: 401, isRevoked: true })).toEqual([])
  })
})

describe('a client succeeds once the faults have ended', () => {
  it('is broken by a client that fails', async () => {
    expect(await checkFailingCall({ faultCount: 4, mustSucceed: true })).toEqual([
      'a client succeeds once the faults have ended',
    ])
  })

  it('holds for a key that was revoked', async () => {
    expect(await checkFailingCall({ faultCount: 0, mustSucceed: true, status: 401, isRevoked: true })).toEqual([])
  })
})

describe('a follower goes on', () => {
  /** Lets a follower poll. @returns the broken invariants */
  const follow = async (createListResponse: () => Response): Promise<readonly string[]> => {
    vi.stubGlobal(
      'fetch',
      vi.fn(async () => createListResponse()),
    )
    await runToEnd(startFollower(createCallers(createFaults(), false), createCredential(), 120))
    return listBroken()
  }

  it('is broken by an error that ends it', async () => {
    const error = { code: 'an_error', message: 'An error.', status: 404 }

    expect(await follow(() => Response.json(error, { status: 404 }))).toEqual(['a follower goes on'])
  })

  it('holds for a list', async () => {
    expect(await follow(() => Response.json([]))).toEqual([])
  })
})

describe('after two quiet runs API Gateway has exactly the keys asked for', () => {
  const invariant = 'after two quiet runs API Gateway has exactly the keys asked for'
  const inItsPlan: GatewayKey = { id: 'id-1', value: ownValue, plan: 'free' }

  const compare = (change: Partial<ApiKeyRecord>, gatewayKeys: readonly GatewayKey[]): readonly string[] => {
    compareGatewayKeys(history, [createItem(change)], gatewayKeys, noon)
    return listBroken()
  }

  it('is broken by a gateway key that is missing', () => {
    expect(compare({}, [])).toEqual([invariant])
  })

  it('is broken by a gateway key in another plan', () => {
    expect(compare({}, [{ ...inItsPlan, plan: 'pro' }])).toEqual([invariant])
  })

  it('is broken by a gateway key that no record names', () => {
    expect(compare({}, [inItsPlan, { id: 'id-2', value: 'another', plan: 'free' }])).toEqual([invariant])
  })

  it('is broken by the gateway key of a revoked key', () => {
    expect(compare({ state: 'revoked' }, [inItsPlan])).toEqual([invariant])
  })

  it('is broken by the gateway key of a key that ended more than five minutes ago', () => {
    expect(compare({ expiresAt: noon / 1_000 - 300 }, [inItsPlan])).toEqual([invariant])
  })

  it('is broken by the gateway key of a key whose limits exceed its plan', () => {
    expect(compare({ minuteLimit: 61 }, [inItsPlan])).toEqual([invariant])
  })

  it('holds for the key that the record names', () => {
    expect(compare({}, [inItsPlan])).toEqual([])
  })

  it('holds for the gateway key of a key that has just ended', () => {
    expect(compare({ expiresAt: noon / 1_000 - 299 }, [inItsPlan])).toEqual([])
  })
})
