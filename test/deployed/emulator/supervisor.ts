import { spawn } from 'node:child_process'

/**
 * A process of its own between the tests and the emulator, first of a process group with it and the
 * functions that it runs. Its standard input is a pipe from the tests: the operating system closes it when
 * they end, even by `kill -9`, and then the whole group ends.
 */
const emulator = spawn('ministack', [], { stdio: ['ignore', 'inherit', 'inherit'] })
const endGroup = (): boolean => process.kill(-process.pid, 'SIGKILL')
emulator.once('exit', endGroup)
emulator.once('error', (error) => {
  console.error(error.message)
  endGroup()
})

/** The emulator ends its functions on the first signal. */
const end = (): void => {
  emulator.kill('SIGTERM')
  setTimeout(endGroup, 3_000)
}
process.stdin.once('end', end).once('error', end).resume()
