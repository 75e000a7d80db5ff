import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { UserError } from '../../../../../infra/command-line/user-error.ts'
import { seedPets } from '../../../../../infra/operations/seed/seed-pets.ts'
import { memoryTable } from './memory-table.ts'

const throttled = (): Error => Object.assign(new Error('Slow down'), { name: 'ThrottlingException', $metadata: {} })

/** Pauses that take no time, recorded. */
const recordedPauses = () => {
  const pauses: number[] = []
  const pause = async (milliseconds: number): Promise<void> => {
    pauses.push(milliseconds)
  }
  return { pauses, pause }
}

describe('pets that DynamoDB does not take at once', () => {
  it('are sent again until all are written, each once', async () => {
    const table = memoryTable()
    const { pauses, pause } = recordedPauses()
    table.behaviour = { takes: (puts) => Math.ceil(puts / 3) }
    const result = await seedPets({ client: table.client, table: 'pets', count: 400, pause })
    expect(result).toMatchObject({ found: 0, written: 400, isComplete: true })
    expect(table.puts.size).toBe(400)
    expect([...table.puts.values()].every((puts) => puts === 1)).toBe(true)
    expect(pauses.length).toBeGreaterThan(16)
  })

  it('are sent again when DynamoDB throttles the whole batch', async () => {
    const table = memoryTable()
    const { pauses, pause } = recordedPauses()
    let refusals = 6
    table.behaviour = {
      takes: (puts) => (refusals > 0 ? 0 : puts),
      failsWith: () => {
        refusals -= 1
        return refusals >= 0 ? throttled() : undefined
      },
    }
    expect(await seedPets({ client: table.client, table: 'pets', count: 25, pause })).toMatchObject({ written: 25 })
    expect(pauses).toHaveLength(6)
  })

  it('are retried after a random part of a time that doubles, up to five seconds, and given up after a while', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    onTestFinished(() => void vi.restoreAllMocks())
    const table = memoryTable()
    const { pauses, pause } = recordedPauses()
    table.behaviour = { takes: () => 0 }
    const seeding = seedPets({ client: table.client, table: 'pets', count: 1, pause })
    await expect(seeding).rejects.toThrow(UserError)
    expect(pauses).toEqual([100, 200, 400, 800, 1_600, 2_500, 2_500, 2_500, 2_500, 2_500, 2_500])
  })

  it('end the seeding, with the reason, when a write fails otherwise', async () => {
    const table = memoryTable()
    table.behaviour = { failsWith: () => new Error('You are not authorized') }
    await expect(seedPets({ client: table.client, table: 'pets', count: 1_000 })).rejects.toThrow('not authorized')
    expect(table.puts.size).toBeLessThanOrEqual(200)
  })
})
