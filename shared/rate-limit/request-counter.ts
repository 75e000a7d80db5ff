import { randomBytes } from 'node:crypto'
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { KeyHash } from '../api-keys/api-key.ts'
import { awaitConditionalWrite } from '../dynamodb/conditional-write.ts'
import { type CountedKey, parseCountedKey } from './counted-key.ts'
import { computeWindowNumber, findExpiredWindows } from './windows.ts'

/**
 * The outcome of a write: the record after it, or the record that did not meet its condition. `undefined` if there is
 * none, or the key is revoked.
 */
export interface WriteOutcome {
  readonly done: boolean
  readonly record: CountedKey | undefined
}

/** The variable parts of an update. */
interface Update {
  /** Assignments that follow SET. */
  readonly change: string
  /** Conditions, joined by AND. */
  readonly conditions: readonly string[]
  readonly values: Readonly<Record<string, string | number>>
}

const dayHasRoom = 'dayCount < dayLimit'

/** The condition of a key over a limit: a window is used up, and has not expired. AND binds more tightly than OR. */
const isOverLimit =
  '(minuteWindow >= :minute AND minuteCount >= minuteLimit OR dayWindow >= :day AND dayCount >= dayLimit)'

/** The conditions of a key that may be used: active, not banned, and not ended. `usableValues` has their values. */
const usableConditions = [
  '#state = :active',
  'bannedUntil <= :now',
  '(attribute_not_exists(expiresAt) OR expiresAt > :now)',
  '(attribute_not_exists(overlapEndsAt) OR overlapEndsAt > :now)',
]

const usableValues = (now: number) => ({ ':active': 'active', ':now': now / 1_000 })

/** Creates an id for one write. All ids have the same length. */
export const createWriteId = (): string => randomBytes(8).toString('base64url')

/** The conditional writes that count the requests of a key on its record. Each is one call. Times are milliseconds. */
export class RequestCounter {
  readonly #client: DynamoDBDocumentClient
  readonly #table: string

  constructor(client: DynamoDBDocumentClient, table: string) {
    this.#client = client
    this.#table = table
  }

  /**
   * Counts a request if both open windows have room. A window ahead of this clock is the current one: an instance whose
   * clock is a little behind counts in it and never reopens the previous one.
   */
  count(keyHash: KeyHash, now: number): Promise<WriteOutcome> {
    return this.#update(keyHash, {
      change: 'minuteCount = minuteCount + :one, dayCount = dayCount + :one',
      conditions: [
        'minuteWindow >= :minute',
        'dayWindow >= :day',
        'minuteCount < minuteLimit',
        dayHasRoom,
        ...usableConditions,
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
   * Opens a new minute and counts the request in it. If the day has expired too, opens a new day as well. Of several
   * concurrent calls, one succeeds.
   *
   * @param record the record whose windows have expired, as this instance has seen it
   */
  rollOver(keyHash: KeyHash, record: CountedKey, now: number): Promise<WriteOutcome> {
    return findExpiredWindows(record, now).day
      ? this.#openMinuteAndDay(keyHash, record, now)
      : this.#openMinute(keyHash, record, now)
  }

  #openMinute(keyHash: KeyHash, record: CountedKey, now: number): Promise<WriteOutcome> {
    return this.#update(keyHash, {
      change: 'minuteWindow = :minute, minuteCount = :one, refusalCount = :zero, dayCount = dayCount + :one',
      conditions: ['minuteWindow = :minuteBefore', 'dayWindow = :dayBefore', dayHasRoom, ...usableConditions],
      values: {
        ':one': 1,
        ':zero': 0,
        ':minuteBefore': record.minuteWindow,
        ':dayBefore': record.dayWindow,
        ':minute': computeWindowNumber('minute', now),
        ...usableValues(now),
      },
    })
  }

  #openMinuteAndDay(keyHash: KeyHash, record: CountedKey, now: number): Promise<WriteOutcome> {
    return this.#update(keyHash, {
      change:
        'minuteWindow = :minute, minuteCount = :one, refusalCount = :zero, ' +
        'dayWindow = :day, dayCount = :one, banCount = :zero',
      conditions: ['minuteWindow = :minuteBefore', 'dayWindow = :dayBefore', ...usableConditions],
      values: {
        ':one': 1,
        ':zero': 0,
        ':minuteBefore': record.minuteWindow,
        ':dayBefore': record.dayWindow,
        ':minute': computeWindowNumber('minute', now),
        ':day': computeWindowNumber('day', now),
        ...usableValues(now),
      },
    })
  }

  /** Counts a refusal towards a ban if the key is over a limit and not banned. */
  countRefusal(keyHash: KeyHash, now: number): Promise<WriteOutcome> {
    return this.#update(keyHash, {
      change: 'refusalCount = refusalCount + :one',
      conditions: [isOverLimit, ...usableConditions],
      values: {
        ':one': 1,
        ':minute': computeWindowNumber('minute', now),
        ':day': computeWindowNumber('day', now),
        ...usableValues(now),
      },
    })
  }

  /**
   * Bans the key until a time (Unix seconds), unless another request has banned it or opened a window since `record`
   * was written, or an operator has raised its limits. So an instance that Lambda froze meanwhile does not ban for
   * refusals of an earlier window.
   */
  ban(keyHash: KeyHash, record: CountedKey, until: number, now: number): Promise<WriteOutcome> {
    return this.#update(keyHash, {
      change: 'bannedUntil = :until, banCount = banCount + :one, refusalCount = :zero',
      conditions: [
        'refusalCount >= :refusals',
        'banCount = :bans',
        'minuteWindow = :minuteBefore',
        'dayWindow = :dayBefore',
        isOverLimit,
        ...usableConditions,
      ],
      values: {
        ':until': until,
        ':one': 1,
        ':zero': 0,
        ':refusals': record.refusalCount,
        ':bans': record.banCount,
        ':minuteBefore': record.minuteWindow,
        ':dayBefore': record.dayWindow,
        ':minute': computeWindowNumber('minute', now),
        ':day': computeWindowNumber('day', now),
        ...usableValues(now),
      },
    })
  }

  /** Reads the record (eventually consistent). Returns `undefined` if there is none, or the key is revoked. */
  async read(keyHash: KeyHash): Promise<CountedKey | undefined> {
    const { Item } = await this.#client.send(new GetCommand({ TableName: this.#table, Key: { keyHash } }))
    return Item && parseCountedKey(Item)
  }

  /**
   * Makes a conditional write. The item keeps the id of its last write: when a response of DynamoDB is lost, the SDK
   * retries the write, and the id shows that it was already done. If another write came in between, the id no longer
   * shows it, and the request counts twice. So the count is never too low.
   */
  async #update(keyHash: KeyHash, { change, conditions, values }: Update): Promise<WriteOutcome> {
    const writeId = createWriteId()
    const isNotRepeated = '(attribute_not_exists(lastWrite) OR lastWrite <> :write)'
    const outcome = await awaitConditionalWrite(
      this.#client.send(
        new UpdateCommand({
          TableName: this.#table,
          Key: { keyHash },
          UpdateExpression: `SET lastWrite = :write, ${change}`,
          ConditionExpression: [isNotRepeated, ...conditions].join(' AND '),
          // "state" is a reserved word of DynamoDB.
          ExpressionAttributeNames: { '#state': 'state' },
          ExpressionAttributeValues: { ...values, ':write': writeId },
          ReturnValues: 'ALL_NEW',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      ),
    )
    const item = outcome.met ? outcome.result.Attributes : outcome.current
    const done = outcome.met || item?.['lastWrite'] === writeId
    return { done, record: item && parseCountedKey(item) }
  }
}
