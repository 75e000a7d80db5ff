import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { hasPython, python, quietEnvironment } from '../programs.ts'
import type { Driver, Job } from './job.ts'

const PYTHONPATH = fileURLToPath(new URL('../../../../../../infra/reference/clients/python/', import.meta.url))
const program = fileURLToPath(new URL('python.py', import.meta.url))

const start = () => {
  const env = { ...quietEnvironment, PYTHONPATH }
  const child = spawn(python, ['-W', 'error', program], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  return { child, reports: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
}

/** One process runs all jobs, since to start it takes longer than most. */
let running: ReturnType<typeof start> | undefined

const drive = async (job: Job) => {
  running ??= start()
  running.child.stdin.write(`${JSON.stringify(job)}\n`)
  const { value, done } = await running.reports.next()
  if (done) throw new Error('Python ended before its report.')
  return JSON.parse(value)
}

export const pythonDriver: Driver = {
  ...{ language: 'Python', isFound: hasPython(), drive },
  stop: () => void running?.child.kill(),
}
