import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { formatNumber } from '../../../../../infra/command-line/report.ts'
import { registerLocalEnvironment } from '../../../../fixtures/commands.ts'
import { runNode } from '../../../../fixtures/node-process.ts'
import { chooseBySize } from '../../../../fixtures/size.ts'
import { createTemporaryFolder } from '../../../../fixtures/temporary-folder.ts'

/** Growth of the memory of a process that ten times as many rows may cause: garbage that is not collected yet. */
const maximumGrowthMegabytes = 20

/**
 * Module that prints the highest resident memory of its process, in MB. `process.resourceUsage().maxRSS` would start
 * with the memory of the process that has started this one.
 */
const memoryMeter = `
  let highest = 0
  const measure = () => { highest = Math.max(highest, process.memoryUsage.rss()) }
  setInterval(measure, 10).unref()
  process.on('exit', () => {
    measure()
    process.stderr.write(\`highest memory: \${highest / 1e6}\\n\`)
  })
`

/** Runs a dry run of an import of new pets. @returns its highest resident memory, in MB */
const measureDryRun = async (rowCount: number): Promise<number> => {
  const { options } = await registerLocalEnvironment()
  const file = join(createTemporaryFolder(), 'new.csv')
  writeFileSync(file, `name,categoryId\n${'Bella,1\n'.repeat(rowCount)}`)
  const meter = `data:text/javascript,${encodeURIComponent(memoryMeter)}`
  const command = ['infra/operations/pets/pets.ts', 'import', file, '--dry-run', ...options]

  const { output, errors } = await runNode(['--import', meter, ...command])

  expect(output).toContain(`${formatNumber(rowCount)} created`)
  return Number(/highest memory: ([\d.]+)/.exec(errors)?.[1])
}

// The processes take some seconds.
it.skipIf(!chooseBySize(false, true))('the memory of an import does not grow with the number of its rows', async () => {
  const memoryOfFewRows = await measureDryRun(20_000)
  const memoryOfManyRows = await measureDryRun(200_000)

  expect(memoryOfManyRows - memoryOfFewRows).toBeLessThan(maximumGrowthMegabytes)
})
