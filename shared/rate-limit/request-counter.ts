import { randomBytes } from 'node:crypto'
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { KeyHash } from '../api-keys/api-key.ts'
import { type ApiKeyRecord, parseApiKeyRecord } from '../api-keys/api-key-record.ts'
import { awaitConditionalWrite } from '../dynamodb/conditional-write.ts'
import { computeWindowNumber, findExpiredWindows } from './windows.ts'

/** The outcome of a write: the record after it, or the record that did not meet its condition, if there is one. */
export interface WriteOutcome {
  readonly done: boolean
  readonly record: ApiKeyRecord | undefined
}

/** The conditional writes that count the requests of a key on its record. Each is one call. Times are milliseconds. */
export class RequestCounter {
  readonly #client: DynamoDBDocumentClient
  readonly #table: string

  constructor(client: DynamoDBDocumentClient, table: string) {
    this.#client = client
    this.#table = table
  }

  /**
   * Counts a request within both limits. A window ahead of this clock is the current one: an instance whose clock is
   * a little behind counts in it and never reopens the previous one.
   */
  count(keyHash: KeyHash, now: number): Promise<WriteOutcome> {
    return this.#update(keyHash, {
      change: 'minuteCount = minuteCount + :one, dayCount = dayCount + :one',
      condition: ['minuteWindow >= :minute', 'dayWindow >= :day', 'minuteCount < minuteLimit', dayHasRoom, ...usable],
      values: {
        ':one': 1,
        ':minute': computeWindowNumber('minute', now),
        ':day': computeWindowNumber('day', now),
        ...usableValues(now),
      },
    })
  }

  /**
   * Opens a new minute, and a new day with it where that has expired too, and counts the request in both. One of many
   * concurrent calls succeeds.
   */
  rollOver(keyHash: KeyHash, record: ApiKeyRecord, now: number): Promise<WriteOutcome> {
    const { day } = findExpiredWindows(record, now)
    const ofDay = day ? 'dayWindow = :day, dayCount = :one, banCount = :zero' : 'dayCount = dayCount + :one'
    return this.#update(keyHash, {
      change: `minuteWindow = :minute, minuteCount = :one, refusalCount = :zero, ${ofDay}`,
      condition: ['minuteWindow = :minuteBefore', 'dayWindow = :dayBefore', ...(day ? [] : [dayHasRoom]), ...usable],
      values: {
        ...{ ':one': 1, ':zero': 0, ':minuteBefore': record.minuteWindow, ':dayBefore': record.dayWindow },
        ':minute': computeWindowNumber('minute', now),
        ...(day && { ':day': computeWindowNumber('day', now) }),
        ...usableValues(now),
      },
    })
  }

  /** Counts a refusal towards a ban, provided that the key is over a limit and not banned. */
  refuse(keyHash: KeyHash, now: number): Promise<WriteOutcome> {
    return this.#update(keyHash, {
      change: 'refusalCount = refusalCount + :one',
      // AND binds more tightly than OR.
      condition: [
        '(minuteWindow >= :minute AND minuteCount >= minuteLimit OR dayWindow >= :day AND dayCount >= dayLimit)',
        ...usable,
      ],
      values: {
        ':one': 1,
        ':minute': computeWindowNumber('minute', now),
        ':day': computeWindowNumber('day', now),
        ...usableValues(now),
      },
    })
  }

  /**
   * Bans the key, unless another request has done so since `record` was written, or a window has ended: a function that
   * was frozen meanwhile does not ban for what is past. `until` is in Unix seconds.
   */
  ban(keyHash: KeyHash, record: ApiKeyRecord, until: number, now: number): Promise<WriteOutcome> {
    return this.#update(keyHash, {
      change: 'bannedUntil = :until, banCount = banCount + :one, refusalCount = :zero',
      condition: [
        'refusalCount >= :refusals',
        'banCount = :bans',
        'minuteWindow = :minute',
        'dayWindow = :day',
        ...usable,
      ],
      values: {
        ...{ ':until': until, ':one': 1, ':zero': 0, ':refusals': record.refusalCount, ':bans': record.banCount },
        ...{ ':minute': record.minuteWindow, ':day': record.dayWindow },
        ...usableValues(now),
      },
    })
  }

  /** The record by an eventually consistent read. */
  async read(keyHash: KeyHash): Promise<ApiKeyRecord | undefined> {
    const { Item } = await this.#client.send(new GetCommand({ TableName: this.#table, Key: { keyHash } }))
    return Item === undefined ? undefined : parseApiKeyRecord(Item)
  }

  /**
   * The item keeps the id of its last write. When a response of DynamoDB gets lost, the SDK retries the write, and the
   * id shows that it was done already. Where another write came in between, the id does not show it, and the request
   * counts twice. So the count is never too low.
   */
  async #update(keyHash: KeyHash, { change, condition, values }: Update): Promise<WriteOutcome> {
    const writeId = createWriteId()
    const outcome = await awaitConditionalWrite(
      this.#client.send(
        new UpdateCommand({
          TableName: this.#table,
          Key: { keyHash },
          UpdateExpression: `SET lastWrite = :write, ${change}`,
          ConditionExpression: ['(attribute_not_exists(lastWrite) OR lastWrite <> :write)', ...condition].join(' AND '),
          // "state" is a reserved word of DynamoDB.
          ExpressionAttributeNames: { '#state': 'state' },
          ExpressionAttributeValues: { ...values, ':write': writeId },
          ReturnValues: 'ALL_NEW',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      ),
    )
    const item = outcome.met ? outcome.result.Attributes : outcome.current
    return { done: outcome.met || item?.['lastWrite'] === writeId, record: item && parseApiKeyRecord(item) }
  }
}

/** A different id for each write, all of one length. */
export const createWriteId = (): string => randomBytes(8).toString('base64url')

interface Update {
  /** What follows SET. */
  readonly change: string
  readonly condition: readonly string[]
  readonly values: Readonly<Record<string, string | number>>
}

const dayHasRoom = 'dayCount < dayLimit'
const usable = [
  '#state = :active',
  'bannedUntil <= :now',
  '(attribute_not_exists(expiresAt) OR expiresAt > :now)',
  '(attribute_not_exists(overlapEndsAt) OR overlapEndsAt > :now)',
]
const usableValues = (now: number) => ({ ':active': 'active', ':now': now / 1_000 })
