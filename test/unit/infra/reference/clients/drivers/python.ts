import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFailed } from 'vitest'
import { hasPython, python, quietEnvironment } from '../programs.ts'
import type { Driver, Job } from './job.ts'

const folder = fileURLToPath(new URL('../../../../../../infra/reference/clients/python/', import.meta.url))
const program = fileURLToPath(new URL('python.py', import.meta.url))

const start = () => {
  const child = spawn(python, ['-W', 'error', program], {
    env: { ...quietEnvironment, PYTHONPATH: folder },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  return { child, reports: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
}

/** One process runs all jobs, since to start it takes longer than most. After a failure it is a new one. */
let running: ReturnType<typeof start> | undefined

const stop = (): void => {
  running?.child.kill()
  running = undefined
}

const drive = async (job: Job) => {
  running ??= start()
  onTestFailed(stop)
  running.child.stdin.write(`${JSON.stringify(job)}\n`)
  const { value, done } = await running.reports.next()
  if (done) throw new Error('Python ended before its report.')
  return JSON.parse(value)
}

export const pythonDriver: Driver = { language: 'Python', isFound: hasPython(), drive, stop }
