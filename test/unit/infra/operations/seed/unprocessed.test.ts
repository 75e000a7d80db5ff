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

  it('are waited for twice as long each time, up to five seconds, and given up after a while', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1)
    onTestFinished(() => void vi.restoreAllMocks())
    const table = memoryTable()
    const { pauses, pause } = recordedPauses()
    table.behaviour = { takes: () => 0 }
    const seeding = seedPets({ client: table.client, table: 'pets', count: 1, pause })
    await expect(seeding).rejects.toThrow(UserError)
    expect(pauses).toEqual([200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000, 5_000, 5_000, 5_000])
  })

  it('are waited for a random part of that time', async () => {
    const table = memoryTable()
    const { pauses, pause } = recordedPauses()
    table.behaviour = { takes: () => 0 }
    await expect(seedPets({ client: table.client, table: 'pets', count: 1, pause })).rejects.toThrow(UserError)
    expect(pauses.every((pause, turn) => pause >= 0 && pause <= Math.min(5_000, 50 * 2 ** (turn + 2)))).toBe(true)
    expect(new Set(pauses).size).toBe(11)
  })

  it('end the seeding when writing fails for another reason, which is told', async () => {
    const table = memoryTable()
    table.behaviour = { failsWith: () => new Error('You are not authorized') }
    await expect(seedPets({ client: table.client, table: 'pets', count: 1_000 })).rejects.toThrow('not authorized')
    expect(table.puts.size).toBeLessThanOrEqual(200)
  })
})
