import fc from 'fast-check'
import { beforeEach, expect, it, vi } from 'vitest'
import {
  type ChooseFault,
  type CommandRow,
  createToolOf,
  drawFaults,
  drawKill,
  expectTruth,
  type FaultWorld,
  openFaultWorld,
} from '../../../../fixtures/command-faults.ts'
import { runToolInProcess, runToolOnFullDisk } from '../../../../fixtures/commands.ts'
import { startNode } from '../../../../fixtures/node-process.ts'
import { chooseBySize } from '../../../../fixtures/size.ts'
import { keyRows } from './key-rows.ts'
import { petRows } from './pet-rows.ts'

/** Number of commands that meet faults. `PET_COMMAND_FAULTS=1000` tries more. */
const faultCount = Number(process.env['PET_COMMAND_FAULTS'] ?? chooseBySize(12, 100))

/** Number of commands that are killed. `PET_COMMAND_KILLS=100` kills more. */
const killCount = Number(process.env['PET_COMMAND_KILLS'] ?? chooseBySize(2, 20))

const rows: readonly CommandRow[] = [...keyRows, ...petRows]

// Math.random chooses each wait before a call is repeated: 0 is the shortest one.
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
})

/** Opens a world for a command. */
const openWorldOf = async (row: CommandRow) => {
  const world = await openFaultWorld()
  return {
    world,
    words: [...(await row.prepare(world)), ...world.options],
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

/** Expects that the same command does its work once nothing fails any more. */
const expectRepeatable = (world: FaultWorld, row: CommandRow, words: readonly string[]): Promise<void> =>
  expectTruth(world, row, async () => {
    const ended = await runToolInProcess(createToolOf(row), words)
    expect(ended.exitCode, ended.errors).toBe(0)
    return ended
  })

/** @returns the number of calls that the command has made while they could fail */
const expectTruthDespiteFaults = async (row: CommandRow, chooseFault: ChooseFault): Promise<number> => {
  await using opened = await openWorldOf(row)
  const { world, words } = opened
  const countCalls = world.failCalls(chooseFault)
  await expectTruth(world, row, () => runToolInProcess(createToolOf(row), words))
  const calls = countCalls()
  await expectRepeatable(world, row, words)
  return calls
}

it('a command that meets faults prints the truth, and can be repeated', {
  timeout: 60_000 + faultCount * 20_000,
}, async () => {
  const property = fc.asyncProperty(fc.constantFrom(...rows), drawFaults(), async (row, chooseFault) => {
    await expectTruthDespiteFaults(row, chooseFault)
  })
  await fc.assert(property, { numRuns: faultCount, endOnFailure: true })
})

it('a command that is killed leaves a true audit, and can be repeated', {
  timeout: 60_000 + killCount * 20_000,
}, async () => {
  const property = fc.asyncProperty(fc.constantFrom(...rows), drawKill(), async (row, kill) => {
    await using opened = await openWorldOf(row)
    const { world, words } = opened
    await expectTruth(world, row, async () => {
      const started = startNode([`infra/operations/${row.tool}/${row.tool}.ts`, ...words])
      world.killAtCall(started.child, kill)
      const exitCode = await started.ended
      return { output: started.output(), errors: started.errors(), exitCode }
    })
    await expectRepeatable(world, row, words)
  })
  await fc.assert(property, { numRuns: killCount, endOnFailure: true })
})

const oneLostResponse = {
  what: 'any one of its responses is lost',
  loseFrom:
    (first: number): ChooseFault =>
    (call) =>
      call === first ? 'response lost' : undefined,
}

const lastingLoss = {
  what: 'all responses from any one on are lost',
  loseFrom:
    (first: number): ChooseFault =>
    (call) =>
      call >= first ? 'response lost' : undefined,
}

// The property above draws lasting losses too.
const losses = chooseBySize([oneLostResponse], [oneLostResponse, lastingLoss])

it.each(rows.flatMap((row) => losses.map((loss) => ({ ...loss, name: row.name, row }))))(
  '$name prints the truth if $what',
  { timeout: 60_000 },
  async ({ row, loseFrom }) => {
    let calls = 1
    for (let first = 1; first <= calls; first += 1) calls = await expectTruthDespiteFaults(row, loseFrom(first))
  },
)

it.each(rows)('$name prints the truth if its output cannot be written', async (row) => {
  await using opened = await openWorldOf(row)
  const { world, words } = opened
  await expectTruth(world, row, () => runToolOnFullDisk(createToolOf(row), words))
})
