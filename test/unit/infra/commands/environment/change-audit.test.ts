import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it } from 'vitest'
import {
  type AuditRecord,
  ChangeAudit,
  type ChangeId,
  createChangeId,
  formatPreviousCondition,
  UnknownOutcomeError,
} from '../../../../../infra/commands/environment/change-audit.ts'
import { awaitConditionalWrite } from '../../../../../shared/dynamodb/conditional-write.ts'
import { createInterceptingClient } from '../../../../fixtures/database/clients.ts'
import { describeOnEachEngine } from '../../../../fixtures/database/engines.ts'
import { openService, type Service } from '../../../../fixtures/service/service.ts'

it('ids of changes sort by time, and begin with the day', () => {
  const earlier = createChangeId(Date.UTC(2030, 8, 9))
  const later = createChangeId(Date.UTC(2030, 9, 1))

  expect([later, earlier].toSorted()).toEqual([earlier, later])
  expect(earlier).toMatch(/^2030-09-09T00:00:00\.000Z-[0-9a-z]{8}$/)
})

describeOnEachEngine('the audit of changes', (engine) => {
  let service: Service
  let audit: ChangeAudit
  beforeEach(async () => {
    service = await openService(engine)
    audit = new ChangeAudit({ database: service.client, tables: service.tables }, { who: 'alice', why: 'a test' })
  })

  const draft = (previous?: ChangeId): AuditRecord =>
    audit.draft({
      target: 'pet#5',
      itemKey: { id: 5n },
      action: 'pets set',
      previous,
      old: { name: 'Bella' },
      new: null,
    })

  /** Makes a change as a command does: one write that demands the change before, and sets the id of this one. */
  const write = ({ changeId, previous }: AuditRecord) => {
    const { condition, values } = formatPreviousCondition(previous)
    const put = new PutCommand({
      TableName: service.tables.pets,
      Item: { id: 5n, status: 'sold', changeId },
      ConditionExpression: condition,
      ExpressionAttributeValues: previous === undefined ? undefined : values,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    return awaitConditionalWrite(service.client.send(put))
  }

  const recordThenMake = async (record: AuditRecord) => {
    await audit.record(record)
    return audit.settle(record, () => write(record))
  }

  it('a record has who, why, the day and both values', async () => {
    const record = draft()

    await audit.record(record)

    const query = new QueryCommand({
      TableName: service.tables.audit,
      IndexName: 'day-index',
      KeyConditionExpression: '#day = :day',
      ExpressionAttributeNames: { '#day': 'day' },
      ExpressionAttributeValues: { ':day': record.day },
    })
    const { Items } = await service.client.send(query)
    expect(Items).toEqual([
      {
        target: 'pet#5',
        itemKey: { id: 5 },
        changeId: record.changeId,
        day: record.changeId.slice(0, 10),
        who: 'alice',
        why: 'a test',
        action: 'pets set',
        old: { name: 'Bella' },
        new: null,
        expiresAt: record.expiresAt,
      },
    ])
  })

  it('a change that the item still has was made, also if its response was lost', async () => {
    const record = draft()
    await audit.record(record)

    const settled = await audit.settle(record, async () => {
      await write(record)
      return write(record)
    })

    expect(settled).toEqual({ made: true, result: undefined })
  })

  it('a change whose response was lost was made if a later change names it', async () => {
    const record = draft()
    await audit.record(record)

    const settled = await audit.settle(record, async () => {
      await write(record)
      await recordThenMake(draft(record.changeId))
      return write(record)
    })

    expect(settled).toEqual({ made: true, result: undefined })
  })

  it('of two changes of the same item, the second was not made, and learns of the first', async () => {
    const [first, second] = [draft(), draft()]
    await recordThenMake(first)

    expect(await recordThenMake(second)).toMatchObject({ made: false, current: { changeId: first.changeId } })
  })

  it('the outcome of a write that AWS does not answer is not known', async () => {
    const settled = audit.settle(draft(), async () => {
      throw Object.assign(new Error('socket hang up'), { $metadata: { attempts: 3 } })
    })

    await expect(settled).rejects.toThrow(UnknownOutcomeError)
    await expect(settled).rejects.toThrow('is not known, see "npm run audit -- 5"')
  })

  it('the outcome of a write is not known if AWS refuses it only after an attempt without a response', async () => {
    const refusal = Object.assign(new Error('expired'), { $fault: 'client', $metadata: { attempts: 2 } })

    await expect(audit.settle(draft(), () => Promise.reject(refusal))).rejects.toThrow(UnknownOutcomeError)
  })

  it('the outcome is not known if the records cannot be read', async () => {
    const client = createInterceptingClient(engine, 'Query', () =>
      Promise.reject(Object.assign(new Error('late'), { $metadata: {} })),
    )
    const unreadable = new ChangeAudit({ database: client, tables: service.tables }, { who: 'alice' })
    await recordThenMake(draft())
    const second = draft()

    await expect(unreadable.settle(second, () => write(second))).rejects.toThrow(UnknownOutcomeError)
  })

  it('a write that AWS has refused at once has its own error', async () => {
    const refusal = Object.assign(new Error('expired'), { $fault: 'client', $metadata: { attempts: 1 } })

    await expect(audit.settle(draft(), () => Promise.reject(refusal))).rejects.toBe(refusal)
  })
})
