/** The CDK app with one stage, which the first argument names: a command needs no other, and does not wait for any. */
import { createApp } from '../app.ts'
import { oneOf } from '../command-line/options.ts'
import { runCommand } from '../command-line/run-command.ts'
import { environmentNames } from '../environments.ts'

await runCommand(() => {
  createApp({ environments: [oneOf(environmentNames)(process.argv[2] ?? '')] }).synth()
})
