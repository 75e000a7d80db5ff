/** The CDK app with one stage, as its defaults have it, which the first argument names: no command waits for another stage. */
import { createApp } from '../app.ts'
import { oneOf } from '../command-line/options.ts'
import { runCommand } from '../command-line/run-command.ts'
import { defaults, environmentNames } from '../environments.ts'

await runCommand(() => {
  const name = oneOf(environmentNames)(process.argv[2] ?? '')
  createApp({ configs: { [name]: defaults[name] } }).synth()
})
