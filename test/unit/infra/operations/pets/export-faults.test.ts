import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createPetsTool } from '../../../../../infra/operations/pets/pets-tool.ts'
import { createSeedTool } from '../../../../../infra/operations/seed/seed-tool.ts'
import { runToolInProcess } from '../../../../fixtures/commands.ts'
import {
  drawCommandFaults,
  type EndedCommand,
  type FaultyEnvironment,
  openFaultyEnvironment,
} from '../../../../fixtures/faulty-environment.ts'
import { startNode } from '../../../../fixtures/node-process.ts'
import { chooseBySize } from '../../../../fixtures/size.ts'
import { createTemporaryFolder } from '../../../../fixtures/temporary-folder.ts'

/** Number of exports that meet faults. `PET_COMMAND_FAULTS=1000` tries more. */
const faultCount = Number(process.env['PET_COMMAND_FAULTS'] ?? chooseBySize(5, 100))

/** Number of exports that are killed, or whose disk is full. `PET_COMMAND_KILLS=100` tries more. */
const killCount = Number(process.env['PET_COMMAND_KILLS'] ?? chooseBySize(1, 20))

const petCount = 2_500

/** Calls to DynamoDB that an export makes: one for each page of 2,000 pets. */
const lastCall = 2

const openWorld = async (): Promise<FaultyEnvironment> => {
  const environment = await openFaultyEnvironment()
  await runToolInProcess(createSeedTool(), ['--count', `${petCount}`, ...environment.options])
  return environment
}

interface EndedExport extends EndedCommand {
  /** Absolute path of the file that the command was to write. */
  readonly file: string
}

/** Expects that the file has all pets, and is there only if the command has succeeded or was killed. */
const expectTruth = ({ file, output, errors, exitCode }: EndedExport): void => {
  if (existsSync(file)) {
    const lineCount = readFileSync(file, 'utf8').trimEnd().split('\n').length
    expect(lineCount, 'the file is complete').toBe(petCount)
  }
  if (exitCode === null) return
  if (exitCode === 0) {
    expect(output).toBe(`${file} has 2,500 pets.\n`)
    expect(existsSync(file), 'the file is there').toBe(true)
    return
  }
  const lastLine = errors.trimEnd().split('\n').at(-1)
  expect(lastLine).toContain(`Nothing is written to ${file}. Run the same command again.`)
  expect(readdirSync(dirname(file)), 'no part of the file is left').toEqual([])
}

const chooseFile = (): string => join(createTemporaryFolder(), 'pets.jsonl')

it('an export that meets faults says whether its file is there', {
  timeout: 60_000 + faultCount * 10_000,
}, async () => {
  await using world = await openWorld()
  const property = fc.asyncProperty(drawCommandFaults(lastCall), async (faults) => {
    const file = chooseFile()
    world.failCalls(faults)
    const ended = await runToolInProcess(createPetsTool(), ['export', '--out', file, ...world.options])
    world.endFaults()
    expectTruth({ file, ...ended })
  })
  await fc.assert(property, { numRuns: faultCount, endOnFailure: true })
})

it('an export that was killed, or whose disk was full, leaves a complete file or none', {
  timeout: 60_000 + killCount * 20_000,
}, async () => {
  await using world = await openWorld()
  const processEnd = fc.record({
    /** Number of the call at which the process is killed. */
    killedAt: fc.constantFrom(1, 2, 999),
    /** Longest file that the process can write, in blocks of 512 bytes. */
    maximumBlocks: fc.constantFrom(1, 100, 500, 999_999),
  })
  const property = fc.asyncProperty(processEnd, async ({ killedAt, maximumBlocks }) => {
    const file = chooseFile()
    const words = ['export', '--out', file, ...world.options]
    const commandPrefix = ['sh', '-c', `ulimit -f ${maximumBlocks}; exec "$@"`, 'sh']
    const started = startNode(['infra/operations/pets/pets.ts', ...words], { commandPrefix })
    let callCount = 0
    world.proxy.chooseFault = () => {
      callCount += 1
      if (callCount >= killedAt) started.child.kill('SIGKILL')
      return undefined
    }
    const exitCode = await started.ended
    world.endFaults()
    expectTruth({ file, output: started.output(), errors: started.errors(), exitCode })
  })
  await fc.assert(property, { numRuns: killCount, endOnFailure: true })
})
