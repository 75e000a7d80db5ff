/** The app with a change that an operator might make: staging bans a key after its first refusal. */
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { environmentVariables } from '../../shared/environment-variables.ts'
import { createEmulatedApp } from './emulated-app.ts'

const app = await createEmulatedApp()
for (const construct of app.node.findChild('staging').node.findAll()) {
  if (construct instanceof LambdaFunction && construct.node.path.includes('/authorizer/')) {
    construct.addEnvironment(environmentVariables.refusalsBeforeBan, '1')
  }
}
app.synth()
