/** The one stage of the CDK app that the local environment runs: `npm start` waits for nothing else. */
import { createApp } from '../app.ts'
import { runCommand } from '../command-line/run-command.ts'
import { localStage } from '../environments.ts'

await runCommand('', async () => {
  createApp({ environments: [localStage] }).synth()
})
