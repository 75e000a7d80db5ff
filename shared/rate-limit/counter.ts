import { randomBytes } from 'node:crypto'
import { BatchGetCommand, type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { type ApiKeyRecord, parseApiKeyRecord } from '../api-keys/api-key-record.ts'
import type { ItemKey } from '../api-keys/shards.ts'
import { conditional } from '../dynamodb/conditional-write.ts'
import { type WindowName, windowAt } from './windows.ts'

/** What a write came to: the record after it, or the one that did not meet its condition, if there is one. */
export type Written =
  | { readonly done: true; readonly record: ApiKeyRecord }
  | { readonly done: false; readonly record: ApiKeyRecord | undefined }

/** The conditional writes on a key's record, by which its requests are counted. Each is one call. */
export class RequestCounter {
  readonly #client: DynamoDBDocumentClient
  readonly #table: string

  constructor(client: DynamoDBDocumentClient, table: string) {
    this.#client = client
    this.#table = table
  }

  /**
   * Counts a request that every limit has room for. A window ahead of this clock is the current one:
   * an instance whose clock is a little behind counts in it and never opens the one before again.
   */
  count(item: ItemKey, now: number): Promise<Written> {
    return this.#update(item, {
      change: 'minuteCount = minuteCount + :one, dayCount = dayCount + :one',
      condition: [
        'minuteWindow >= :minute',
        'dayWindow >= :day',
        'minuteCount < minuteLimit',
        'dayCount < dayLimit',
        ...usable,
      ],
      values: {
        ':one': 1,
        ':minute': windowAt('minute', now),
        ':day': windowAt('day', now),
        ...usableValues(now),
      },
    })
  }

  /** Opens a new window for each that has passed, and counts the request in both. Of many at once, one succeeds. */
  rollOver(item: ItemKey, record: ApiKeyRecord, passed: readonly WindowName[], now: number): Promise<Written> {
    const dayPassed = passed.includes('day')
    const minutePassed = passed.includes('minute')
    return this.#update(item, {
      change: [
        'refusalCount = :zero',
        minutePassed ? 'minuteWindow = :minute, minuteCount = :one' : 'minuteCount = minuteCount + :one',
        dayPassed ? 'dayWindow = :day, dayCount = :one, banCount = :zero' : 'dayCount = dayCount + :one',
      ].join(', '),
      condition: [
        'minuteWindow = :minuteBefore',
        'dayWindow = :dayBefore',
        ...(minutePassed ? [] : ['minuteCount < minuteLimit']),
        ...(dayPassed ? [] : ['dayCount < dayLimit']),
        ...usable,
      ],
      values: {
        ':one': 1,
        ':zero': 0,
        ':minuteBefore': record.minuteWindow,
        ':dayBefore': record.dayWindow,
        ...usableValues(now),
        ...(minutePassed ? { ':minute': windowAt('minute', now) } : {}),
        ...(dayPassed ? { ':day': windowAt('day', now) } : {}),
      },
    })
  }

  /** Counts a refusal towards a ban, unless the key is banned: what came at once with a ban leads to no other. */
  refuse(item: ItemKey, now: number): Promise<Written> {
    return this.#update(item, {
      change: 'refusalCount = refusalCount + :one',
      condition: ['bannedUntil <= :now'],
      values: { ':one': 1, ':now': now / 1_000 },
    })
  }

  /** Bans the key, unless another request has just done so. `until` is in Unix seconds. */
  ban(item: ItemKey, record: ApiKeyRecord, until: number): Promise<Written> {
    return this.#update(item, {
      change: 'bannedUntil = :until, banCount = banCount + :one, refusalCount = :zero',
      condition: ['refusalCount >= :refusals', 'banCount = :banCount', 'bannedUntil = :bannedBefore'],
      values: {
        ':until': until,
        ':one': 1,
        ':zero': 0,
        ':refusals': record.refusalCount,
        ':banCount': record.banCount,
        ':bannedBefore': record.bannedUntil,
      },
    })
  }

  /** Bans a shard of a key whose root is banned, unless it has been for as long. */
  banShard(item: ItemKey, until: number): Promise<Written> {
    return this.#update(item, {
      change: 'bannedUntil = :until',
      condition: ['bannedUntil < :until'],
      values: { ':until': until },
    })
  }

  /** Adds to the count of the day, or takes from it, where it is still what the record says. */
  shiftDay(item: ItemKey, record: ApiKeyRecord, by: number): Promise<Written> {
    return this.#update(item, {
      change: 'dayCount = dayCount + :by',
      condition: ['dayWindow = :day', 'dayCount = :dayCount', 'dayLimit = :dayLimit'],
      values: { ':by': by, ':day': record.dayWindow, ':dayCount': record.dayCount, ':dayLimit': record.dayLimit },
    })
  }

  /** The record as it stands, read without waiting for the latest write. */
  async read(item: ItemKey): Promise<ApiKeyRecord | undefined> {
    const { Item } = await this.#client.send(new GetCommand({ TableName: this.#table, Key: { keyHash: item } }))
    return Item === undefined ? undefined : parseApiKeyRecord(Item)
  }

  /** Up to a hundred records, by their items, read in the same way. What DynamoDB leaves out is not among them. */
  async readAll(items: readonly ItemKey[]): Promise<ReadonlyMap<string, ApiKeyRecord>> {
    const { Responses = {} } = await this.#client.send(
      new BatchGetCommand({ RequestItems: { [this.#table]: { Keys: items.map((keyHash) => ({ keyHash })) } } }),
    )
    const found = Responses[this.#table] ?? []
    return new Map(found.map((item) => [String(item['keyHash']), parseApiKeyRecord(item)]))
  }

  /**
   * The item keeps the name of the last write. When DynamoDB's answer gets lost, the SDK sends the write again, and by
   * its name it is seen to be done already, and is not done twice. Where another write has come in between, this
   * cannot be seen: then the request counts twice. So the count is never too low.
   */
  async #update(item: ItemKey, { change, condition, values }: Update): Promise<Written> {
    const write = newWriteName()
    const expression = ['(attribute_not_exists(lastWrite) OR lastWrite <> :write)', ...condition].join(' AND ')
    const outcome = await conditional(
      this.#client.send(
        new UpdateCommand({
          TableName: this.#table,
          Key: { keyHash: item },
          UpdateExpression: `SET lastWrite = :write, ${change}`,
          ConditionExpression: expression,
          ExpressionAttributeValues: { ...values, ':write': write },
          ...(expression.includes('#state') ? { ExpressionAttributeNames: { '#state': 'state' } } : {}),
          ReturnValues: 'ALL_NEW',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      ),
    )
    if (outcome.met) return { done: true, record: parseApiKeyRecord(outcome.result.Attributes ?? {}) }
    const { current } = outcome
    if (current === undefined) return { done: false, record: undefined }
    return { done: current['lastWrite'] === write, record: parseApiKeyRecord(current) }
  }
}

/** Another for each write, and all of one length. */
export const newWriteName = (): string => randomBytes(8).toString('base64url')

interface Update {
  /** What follows SET. */
  readonly change: string
  readonly condition: readonly string[]
  readonly values: Readonly<Record<string, string | number>>
}

const usable = ['#state = :active', 'bannedUntil <= :now', '(attribute_not_exists(expiresAt) OR expiresAt > :now)']

const usableValues = (now: number) => ({ ':active': 'active', ':now': now / 1_000 })
