import { randomBytes } from 'node:crypto'
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { KeyHash } from '../api-keys/api-key.ts'
import { awaitConditionalWrite } from '../dynamodb/conditional-write.ts'
import { type CountedKey, parseCountedKey } from './counted-key.ts'
import { computeWindowNumber, findExpiredWindows } from './windows.ts'

/** A request of an API key that is to be counted. */
export interface CountedRequest {
  readonly keyHash: KeyHash
  readonly nowSeconds: number
  /** Ends the calls to DynamoDB. */
  readonly signal: AbortSignal
}

export interface WriteOutcome {
  /** Whether the write was made; if not, the record did not meet its condition. */
  readonly done: boolean
  /**
   * The record after the write, or as it is if the write was not made. `undefined` if none is there or it is revoked.
   */
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

const dayHasRoomCondition = 'dayCount < dayLimit'

/** The conditions of a record whose windows are still as they were read. `createReadWindowValues` has their values. */
const sameWindowsConditions = ['minuteWindow = :minuteBefore', 'dayWindow = :dayBefore']

/** The condition of a key over a limit: a window is used up, and has not expired. AND binds more tightly than OR. */
const overLimitCondition =
  '(minuteWindow >= :minute AND minuteCount >= minuteLimit OR dayWindow >= :day AND dayCount >= dayLimit)'

/**
 * The condition of every write. Its first three parts are those of `isUsable` in `shared/api-keys/api-key-record.ts`.
 */
const commonCondition = [
  '#state = :active',
  '(attribute_not_exists(expiresAt) OR expiresAt > :now)',
  '(attribute_not_exists(overlapEndsAt) OR overlapEndsAt > :now)',
  'bannedUntil <= :now',
  // This write was not made already: the SDK sends a write again when its response is lost.
  '(attribute_not_exists(lastWrite) OR lastWrite <> :write)',
].join(' AND ')

/** Creates an id for one write. */
const createWriteId = (): string => randomBytes(8).toString('base64url')

/**
 * The conditional writes that count the requests of a key on its record, in two windows: the minute and the UTC day.
 * Each write is one call.
 */
export class RequestCounter {
  readonly #client: DynamoDBDocumentClient
  readonly #tableName: string

  constructor(client: DynamoDBDocumentClient, tableName: string) {
    this.#client = client
    this.#tableName = tableName
  }

  /**
   * Counts a request if both windows have room and have not expired. A window ahead of this clock is the current one:
   * an instance whose clock is a little behind counts in it and never opens the previous one again.
   */
  count(request: CountedRequest): Promise<WriteOutcome> {
    return this.#update(request, {
      change: 'minuteCount = minuteCount + :one, dayCount = dayCount + :one',
      conditions: ['minuteWindow >= :minute', 'dayWindow >= :day', 'minuteCount < minuteLimit', dayHasRoomCondition],
      values: { ':one': 1, ...createCurrentWindowValues(request) },
    })
  }

  /**
   * Opens a new minute and counts the request in it. If the day has expired too, opens a new day as well. Of several
   * concurrent calls, one succeeds.
   *
   * @param record the record whose windows have expired, as this instance has seen it
   */
  openWindows(request: CountedRequest, record: CountedKey): Promise<WriteOutcome> {
    return findExpiredWindows(record, request.nowSeconds).day
      ? this.#openMinuteAndDay(request, record)
      : this.#openMinute(request, record)
  }

  #openMinute(request: CountedRequest, record: CountedKey): Promise<WriteOutcome> {
    return this.#update(request, {
      change: 'minuteWindow = :minute, minuteCount = :one, refusalCount = :zero, dayCount = dayCount + :one',
      conditions: [...sameWindowsConditions, dayHasRoomCondition],
      values: {
        ':one': 1,
        ':zero': 0,
        ':minute': computeWindowNumber('minute', request.nowSeconds),
        ...createReadWindowValues(record),
      },
    })
  }

  #openMinuteAndDay(request: CountedRequest, record: CountedKey): Promise<WriteOutcome> {
    return this.#update(request, {
      change:
        'minuteWindow = :minute, minuteCount = :one, refusalCount = :zero, ' +
        'dayWindow = :day, dayCount = :one, banCount = :zero',
      conditions: sameWindowsConditions,
      values: { ':one': 1, ':zero': 0, ...createCurrentWindowValues(request), ...createReadWindowValues(record) },
    })
  }

  /** Counts a refusal of a key over a limit, unless this is the refusal that bans the key. */
  countRefusal(request: CountedRequest, refusalsBeforeBan: number): Promise<WriteOutcome> {
    return this.#update(request, {
      change: 'refusalCount = refusalCount + :one, refusedAt = :refusedAt',
      conditions: ['refusalCount < :lastRefusal', overLimitCondition],
      values: {
        ':one': 1,
        ':lastRefusal': refusalsBeforeBan - 1,
        ':refusedAt': Math.floor(request.nowSeconds),
        ...createCurrentWindowValues(request),
      },
    })
  }

  /**
   * Bans a key over a limit until a time, unless another request has been refused, or has opened a window, since
   * `record` was read.
   */
  ban(request: CountedRequest, record: CountedKey, bannedUntil: number): Promise<WriteOutcome> {
    return this.#update(request, {
      change: 'bannedUntil = :until, banCount = banCount + :one, refusalCount = :zero, refusedAt = :refusedAt',
      conditions: ['refusalCount = :refusals', overLimitCondition],
      values: {
        ':until': bannedUntil,
        ':one': 1,
        ':zero': 0,
        ':refusals': record.refusalCount,
        ':refusedAt': Math.floor(request.nowSeconds),
        ...createCurrentWindowValues(request),
      },
    })
  }

  /** Reads the record (strongly consistent). Returns `undefined` if there is none, or the key is revoked. */
  async read({ keyHash, signal }: CountedRequest): Promise<CountedKey | undefined> {
    const get = new GetCommand({ TableName: this.#tableName, Key: { keyHash }, ConsistentRead: true })
    const { Item } = await this.#client.send(get, { abortSignal: signal })
    return Item && parseCountedKey(Item)
  }

  /**
   * Makes a conditional write. The item keeps the id of its last write: when a response of DynamoDB is lost, the SDK
   * retries the write, and the id shows that it was already done. If another write came in between, the id no longer
   * shows it, and the request counts twice. So the count is never too low.
   */
  async #update(
    { keyHash, nowSeconds, signal }: CountedRequest,
    { change, conditions, values }: Update,
  ): Promise<WriteOutcome> {
    const writeId = createWriteId()
    const update = new UpdateCommand({
      TableName: this.#tableName,
      Key: { keyHash },
      UpdateExpression: `SET lastWrite = :write, ${change}`,
      ConditionExpression: [commonCondition, ...conditions].join(' AND '),
      // "state" is a reserved word of DynamoDB.
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: { ...values, ':active': 'active', ':now': nowSeconds, ':write': writeId },
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    const outcome = await awaitConditionalWrite(this.#client.send(update, { abortSignal: signal }))
    const item = outcome.met ? outcome.result.Attributes : outcome.current
    const done = outcome.met || item?.['lastWrite'] === writeId
    return { done, record: item && parseCountedKey(item) }
  }
}

/** Creates the values of `:minute` and `:day`: the numbers of the windows that contain the time of a request. */
const createCurrentWindowValues = ({ nowSeconds }: CountedRequest) => ({
  ':minute': computeWindowNumber('minute', nowSeconds),
  ':day': computeWindowNumber('day', nowSeconds),
})

/** Creates the values of `sameWindowsConditions`: the windows of a record as it was read. */
const createReadWindowValues = (record: CountedKey) => ({
  ':minuteBefore': record.minuteWindow,
  ':dayBefore': record.dayWindow,
})
