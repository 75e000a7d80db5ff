import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { UserError } from '../../infra/command-line/user-error.ts'
import type { ColdStart, WarmBlock } from './probe.ts'
import type { Launch } from './workbench.ts'

/** A fresh process that loads a bundle, handles one event and ends. */
export const coldStart = async (launch: Launch): Promise<ColdStart> => {
  const running = promisify(execFile)(process.execPath, [...launch.arguments], { env: launch.environment })
  const { stdout } = await running.catch((error: { readonly stderr: string }) => {
    throw new UserError(`A process did not respond: ${error.stderr.trim()} Other work may keep the machine too busy.`)
  })
  return JSON.parse(stdout)
}

/** A process that handles as many requests as its parent says, one after the other. */
export interface WarmProcess extends AsyncDisposable {
  send(requests: number): Promise<WarmBlock>
}

export const warmProcess = async (launch: Launch): Promise<WarmProcess> => {
  const [probe, inputFile] = launch.arguments
  const child = fork(probe, [inputFile], { env: launch.environment })
  const next = async () => {
    const ended = new AbortController()
    const exit = once(child, 'exit', { signal: ended.signal }).then(() => {
      throw new UserError('A process ended before it had responded, as it says above.')
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
    send: (requests) => {
      const block = next()
      child.send(requests)
      return block
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}
