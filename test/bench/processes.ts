import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import type { ColdStart, WarmBlock } from './probe.ts'
import type { Launch } from './workbench.ts'

/** A fresh process that loads a bundle, answers once and ends. */
export const coldStart = async (launch: Launch): Promise<ColdStart> => {
  const { stdout } = await promisify(execFile)(process.execPath, [...launch.arguments], { env: launch.environment })
  return JSON.parse(stdout)
}

/** A process that answers as many requests as it is told to, one after the other. */
export interface WarmProcess extends AsyncDisposable {
  answer(requests: number): Promise<WarmBlock>
}

export const warmProcess = async (launch: Launch): Promise<WarmProcess> => {
  const [probe, inputFile] = launch.arguments
  const child = fork(probe, [inputFile], { env: launch.environment })
  const next = async () => {
    const ended = new AbortController()
    const exit = once(child, 'exit', { signal: ended.signal }).then(() => {
      throw new Error(`The process of ${inputFile} ended before it had answered.`)
    })
    try {
      const [message] = await Promise.race([once(child, 'message'), exit])
      return message
    } finally {
      exit.catch(() => undefined)
      ended.abort()
    }
  }
  await next()
  return {
    answer: (requests) => {
      const block = next()
      child.send(requests)
      return block
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null) return
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}
