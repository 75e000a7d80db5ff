/** `npm run soak`: a mixed load on a local environment for a long time, which must leave nothing behind. */
import { writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { claimFile } from '../../../infra/command-line/claim-file.ts'
import { wholeNumber } from '../../../infra/command-line/options.ts'
import { runCommand } from '../../../infra/command-line/run-command.ts'
import { commandLine, tool } from '../../../infra/command-line/tool.ts'
import { UserError } from '../../../infra/command-line/user-error.ts'
import { Findings } from './findings.ts'
import { pressLimit, runKeyLife } from './limited-load.ts'
import { type MeasuredEnvironment, startMeasuredEnvironment } from './measured-environment.ts'
import { runMixedRound } from './mixed-load.ts'
import { judge, type Report, reportText } from './report.ts'

const description =
  'Starts a local environment and sends it a mixed load: lists, filters, pages, new pets, mistakes, keys at their limits, and keys that are issued, banned, rotated and revoked meanwhile. Every response is checked against the contract. Memory, open files, sockets and temporary files must not grow after the first third of the time; memory with garbage in it is judged in runs of 10 minutes and more.'

const readOptions = (line: readonly string[]): { readonly minutes: number; readonly json: string } =>
  tool('npm run soak --', description)
    .option('--minutes <n>', 'how long the load lasts', wholeNumber(1, 9_999), 30)
    .option('--json <file>', 'where the whole report is kept, with every sample', '.build/soak.json')
    .addHelpText('after', '\nExit codes: 0 all is well; 1 a response was wrong, something grew, or it did not run.')
    .parse(line, { from: 'user' })
    .opts()

const callers = 4
const pressedLimits = [60, 300]
const lifePauseMilliseconds = 2_000
const progressMilliseconds = 30_000

const applyLoad = async (environment: MeasuredEnvironment, findings: Findings, seconds: number): Promise<void> => {
  const { keys } = environment
  const begun = performance.now()
  const elapsed = (): number => (performance.now() - begun) / 1_000
  const isOver = (): boolean => elapsed() >= seconds
  const allowance = { perMinute: 1_000_000, perDay: 1_000_000_000 }
  const { apiKey } = await keys.issue({ owner: 'load', plan: 'enterprise', allowance })
  const call = async (caller: number): Promise<void> => {
    for (let round = caller; !isOver(); round += callers) await runMixedRound(findings, apiKey, round)
  }
  const liveKeys = async (): Promise<void> => {
    while (!isOver()) {
      await runKeyLife(findings, keys)
      await setTimeout(lifePauseMilliseconds)
    }
  }
  const progress = setInterval(() => {
    console.error(
      `${Math.round(elapsed())} s of ${seconds}: ${findings.requests} requests, ${findings.faultCount} faults`,
    )
  }, progressMilliseconds)
  try {
    await Promise.all([
      ...Array.from({ length: callers }, (_, caller) => call(caller)),
      ...pressedLimits.map((perMinute) => pressLimit(findings, keys, perMinute, isOver)),
      liveKeys(),
    ])
  } finally {
    clearInterval(progress)
  }
}

const soak = async (minutes: number): Promise<Report> => {
  await using environment = await startMeasuredEnvironment()
  const findings = new Findings(environment.baseUrl)
  await applyLoad(environment, findings, minutes * 60)
  const exitCode = await environment.stop()
  if (exitCode !== 0) findings.fault(`The environment ended with the exit code ${exitCode}.`)
  for (const line of environment.complaints()) findings.fault(`The environment wrote: ${line}`)
  return judge(minutes, findings, environment.samples)
}

await runCommand(async () => {
  const { minutes, json } = readOptions(commandLine())
  claimFile(json)
  const report = await soak(minutes)
  writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`)
  console.log(reportText(report))
  if (!report.isWell) throw new UserError('Not all is well: see above.')
})
